/// What is wrong with a command line; the program ends with `ExitCode.usage`.
public struct UsageError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line, without the program's name: `unknown option --spede; did you mean --speed?`.
  public var message: String
  /// The command it was, if that was clear.
  public var command: String?

  public init(_ message: String, command: String? = nil) {
    self.message = message
    self.command = command
  }

  /// The message and where help is, in two lines.
  public var description: String {
    let name = command.map { "candled \($0)" } ?? "candled"
    return "\(name): \(message)\nTry '\(name) --help'."
  }
}
