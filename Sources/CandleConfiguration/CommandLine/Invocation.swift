import CandleCore

/// A command line that makes sense: the command, its options and its arguments.
///
/// Options are asked for by the names of the command's table; each gives the default of the table if it was not
/// written, and nil if there is none either.
public struct Invocation: Sendable, Equatable {
  public let command: Command
  /// Help was asked for: print this to the standard output and end with `ExitCode.ok`.
  public let help: String?
  let values: [String: String]
  let argumentValues: [String: [String]]

  init(command: Command, help: String? = nil, values: [String: String] = [:], argumentValues: [String: [String]] = [:])
  {
    self.command = command
    self.help = help
    self.values = values
    self.argumentValues = argumentValues
  }

  /// Whether the option was written, whatever its default is.
  public func has(_ option: String) -> Bool { values[option] != nil }

  /// The value as it was written.
  public func text(_ option: String) -> String? {
    values[option] ?? command.options.first { $0.name == option }?.defaultText
  }

  public func integer(_ option: String) -> Int? { text(option).flatMap(ValueForm<Int>.parseInteger) }

  public func number(_ option: String) -> Double? { text(option).flatMap(Command.Kind.positive) }

  /// In milliseconds.
  public func duration(_ option: String) -> Milliseconds? { text(option).flatMap(DurationText.parse) }

  /// In Unix milliseconds.
  public func time(_ option: String) -> Milliseconds? { text(option).flatMap(TimeText.parse) }

  /// In the order of their length, each once.
  public func timeframes(_ option: String) -> [Timeframe]? { text(option).flatMap(Command.Kind.timeframes) }

  public func listen(_ option: String) -> Configuration.Listen? { text(option).flatMap(Addresses.listen) }

  /// What was written for an argument of the command's table, in its order.
  public func arguments(_ name: String) -> [String] { argumentValues[name] ?? [] }
}
