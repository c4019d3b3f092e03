import CandleCore
import CandleWire

/// One request of those that are sent after connecting.
public struct VenueSubscription: Sendable, Equatable {
  public var text: String
  /// Positions of the symbols that it asks for.
  public var symbols: Range<Int>

  public init(text: String, symbols: Range<Int>) {
    self.text = text
    self.symbols = symbols
  }

  /// Cuts the symbols into requests of at most so many.
  /// - Parameter text: gets the number of the request, from 1, and its symbols.
  static func batches(_ symbols: [String], of size: Int, text: (Int, ArraySlice<String>) -> String) -> [Self] {
    stride(from: 0, to: symbols.count, by: size).enumerated().map { index, start in
      let range = start..<min(start + size, symbols.count)
      return VenueSubscription(text: text(index + 1, symbols[range]), symbols: range)
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
