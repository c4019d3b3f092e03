import CandleCore

/// A command of the program: data from which parsing and help come.
public struct Command: Sendable, Equatable {
  /// The form of an option's value or of an argument. Values are checked while parsing.
  public enum Kind: Sendable, Equatable {
    /// On if it is there; takes no value.
    case flag
    /// Anything but nothing.
    case text
    /// A path; `-` is the standard input or output.
    case file
    /// `host:port`, as the configuration's `listen`.
    case listen
    /// `ws://` or `wss://`.
    case streamURL
    case symbol
    /// A timeframe's name.
    case timeframe
    /// Timeframes separated by commas.
    case timeframes
    case choice([String])
    case integer(ClosedRange<Int>)
    /// A decimal number above 0.
    case positive
    case duration
    /// Unix milliseconds, `2024-01-31`, or `2024-01-31T12:00[:00]Z`.
    case time
  }

  public struct Option: Sendable, Equatable {
    /// Without the dashes.
    public var name: String
    /// What stands for the value in the help: `FILE`; nil = the kind's own.
    public var placeholder: String?
    public var kind: Kind
    /// As it would be written.
    public var defaultText: String?
    public var isRequired: Bool
    public var meaning: String

    public init(
      _ name: String, _ kind: Kind, placeholder: String? = nil, default defaultText: String? = nil,
      isRequired: Bool = false, _ meaning: String
    ) {
      self.name = name
      self.placeholder = placeholder
      self.kind = kind
      self.defaultText = defaultText
      self.isRequired = isRequired
      self.meaning = meaning
    }
  }

  /// What stands alone, in its place.
  public struct Argument: Sendable, Equatable {
    public var name: String
    public var kind: Kind
    /// How many of it; an optional one that does not fit its kind is left out.
    public var count: ClosedRange<Int>
    public var meaning: String

    public init(_ name: String, _ kind: Kind, count: ClosedRange<Int> = 1...1, _ meaning: String) {
      self.name = name
      self.kind = kind
      self.count = count
      self.meaning = meaning
    }
  }

  public var name: String
  /// One line for the list of commands.
  public var summary: String
  /// More for its own help, in lines of the width of a terminal; may be empty.
  public var details: String
  public var options: [Option]
  public var arguments: [Argument]

  public init(
    _ name: String, _ summary: String, details: String = "", options: [Option] = [], arguments: [Argument] = []
  ) {
    self.name = name
    self.summary = summary
    self.details = details
    self.options = options
    self.arguments = arguments
  }
}
