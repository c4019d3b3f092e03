import CandleConfiguration

enum VersionCommand {
  static func run() -> ExitCode {
    print("candled \(Version.text)")
    return .ok
  }
}
