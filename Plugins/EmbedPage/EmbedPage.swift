import Foundation
import PackagePlugin

/// Puts the files of the live page into the binary: `scripts/embed-page` writes them as Swift, whenever one changed.
@main
struct EmbedPage: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    let root = context.package.directoryURL
    let script = root.appending(path: "scripts/embed-page")
    let web = root.appending(path: "Sources/CandlePage/Web")
    let own = try FileManager.default.contentsOfDirectory(atPath: web.path).sorted()
      .filter { !$0.hasPrefix(".") }
      .map { web.appending(path: $0) }
    // Fetched by scripts/setup.
    let library = ["klinecharts.min.js", "klinecharts-license.txt"].map {
      root.appending(path: "third-party/klinecharts/\($0)")
    }
    let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedPage.swift")
    return [
      .buildCommand(
        displayName: "Embedding the live page", executable: URL(filePath: "/bin/sh"),
        arguments: ([script, output] + own + library).map { $0.path }, inputFiles: [script] + own + library,
        outputFiles: [output])
    ]
  }
}
