import CandleConfiguration
import CandleNet
import CandleStore
import Foundation

/// From a command line to what it does.
enum Program {
  static func run(_ invocation: Invocation) -> ExitCode {
    switch invocation.command.name {
    case "run": RunCommand.run(invocation)
    case "check": CheckCommand.run(invocation)
    case "demo": DemoCommand.run(invocation)
    case "replay": ReplayCommand.run(invocation)
    case "import": ImportCommand.run(invocation)
    case "backfill": BackfillCommand.run(invocation)
    case "export": ExportCommand.run(invocation)
    case "verify": VerifyCommand.run(invocation)
    case "tail": TailCommand.run(invocation)
    case "version": VersionCommand.run()
    default: preconditionFailure("a command of the table is not carried out: \(invocation.command.name)")
    }
  }
}

/// What a command prints beside its result.
enum Console {
  static func error(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

extension Log {
  init(_ invocation: Invocation) {
    let threshold: Level =
      switch invocation.text("log-level") {
      case "debug": .debug
      case "warning": .warning
      case "error": .error
      default: .info
      }
    self.init(format: invocation.text("log-format") == "json" ? .json : .text, threshold: threshold)
  }
}
