import CandleCore
import CandleWire

/// A request for trades, or for none any more.
public struct VenueSubscription: Sendable, Equatable {
  /// Which requests of a connection these are.
  public struct Plan: Sendable, Equatable {
    /// The number of the first one; those of a connection are all different.
    public var first: Int
    /// Whether trades are not wanted any more.
    public var cancels: Bool

    public init(first: Int = 1, cancels: Bool = false) {
      self.first = first
      self.cancels = cancels
    }
  }

  /// What answers name, where the venue repeats it.
  public var number: Int
  public var text: String
  /// Positions of the symbols that it asks for.
  public var symbols: Range<Int>

  public init(number: Int, text: String, symbols: Range<Int>) {
    self.number = number
    self.text = text
    self.symbols = symbols
  }

  /// Cuts the symbols into requests of at most so many.
  /// - Parameter text: gets the number of the request and its symbols.
  static func batches(
    _ symbols: [String], of size: Int, _ plan: Plan, text: (Int, ArraySlice<String>) -> String
  ) -> [Self] {
    stride(from: 0, to: symbols.count, by: size).enumerated().map { index, start in
      let range = start..<min(start + size, symbols.count)
      let number = plan.first + index
      return VenueSubscription(number: number, text: text(number, symbols[range]), symbols: range)
    }
  }

  /// Texts as a JSON array.
  static func array(_ texts: some Sequence<String>) -> String { "[" + texts.map(quoted).joined(separator: ",") + "]" }

  /// A text as a JSON string.
  static func quoted(_ text: String) -> String {
    let out = ByteWriter(capacity: 64)
    out.writeJSON(string: text)
    return String(decoding: out.array, as: UTF8.self)
  }
}

/// What keeps a connection open, or shows that it is alive.
public struct VenueDuty: Sendable, Equatable {
  public var every: Milliseconds
  public var text: String

  public init(every: Milliseconds, text: String) {
    self.every = every
    self.text = text
  }
}

/// A venue's own candles over HTTP.
public struct VenueHistory: Sendable, Equatable {
  public var url: String
  public var format: HistoryFormat
  /// Whether it leaves out candles without trades.
  public var omitsEmpty: Bool
  /// Between two requests.
  public var spacing: Milliseconds

  public init(url: String, format: HistoryFormat, omitsEmpty: Bool = false, spacing: Milliseconds) {
    self.url = url
    self.format = format
    self.omitsEmpty = omitsEmpty
    self.spacing = spacing
  }
}
