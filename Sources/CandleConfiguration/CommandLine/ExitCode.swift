/// How the program ends, for scripts and service managers (the numbers are those of sysexits.h).
public enum ExitCode: Int32, Sendable, CaseIterable {
  case ok = 0
  /// `verify` found differences.
  case differences = 1
  /// The command line is wrong.
  case usage = 64
  /// Input data are wrong.
  case badInput = 65
  /// A service or peer cannot be reached.
  case unavailable = 69
  /// Reading or writing failed, or the database is another process's.
  case io = 74
  /// The configuration is wrong.
  case configuration = 78

  var meaning: String {
    switch self {
    case .ok: "ok"
    case .differences: "verify found differences"
    case .usage: "wrong command line"
    case .badInput: "bad input data"
    case .unavailable: "unavailable"
    case .io: "input or output failed"
    case .configuration: "wrong configuration"
    }
  }
}
