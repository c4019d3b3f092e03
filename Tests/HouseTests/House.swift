import Foundation
import Testing

/// The files of the repository, as text.
enum House {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Room of each source file: `Sources/CandleCore/Settlement/Settler.swift` is in `CandleCore`.
  struct File {
    let path: String
    let room: String
    let text: String

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    /// Without comments.
    var code: String {
      lines.map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line }.joined(separator: "\n")
    }
    /// Modules that are imported.
    var imports: [String] {
      lines.compactMap { line in
        let words = line.split(separator: " ")
        guard let at = words.firstIndex(of: "import"), at < 2, words.count > at + 1,
          at == 0 || words[0].hasPrefix("@")
            || ["public", "package", "internal", "private", "fileprivate"].contains(words[0])
        else { return nil }
        return String(words.last!.split(separator: ".")[0])
      }
    }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
  }

  /// Swift files below a folder.
  static func files(below folder: String) -> [File] {
    let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?.compactMap {
      $0 as? String
    }
    return (names ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { name in
      File(
        path: "\(folder)/\(name)", room: String(name.split(separator: "/")[0]),
        text: (try? text("\(folder)/\(name)")) ?? "")
    }
  }

  static let sources = files(below: "Sources")
  static let pure: Set<String> = ["CandleCore", "CandleIndicators", "CandleWire", "CandleFeeds", "CandleEngine"]
}
