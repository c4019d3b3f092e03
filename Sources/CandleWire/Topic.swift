import CandleCore

/// What a subscriber reads: `candle.TF.SYMBOL` or `closed.TF.SYMBOL`, `*` for any timeframe or symbol.
public struct Topic: Hashable, Sendable {
  public enum Kind: UInt8, Sendable, CaseIterable {
    /// Forming, closed and corrected candles.
    case candle
    /// Closed and corrected candles only.
    case closed

    public var name: String { self == .candle ? "candle" : "closed" }
  }

  public let kind: Kind
  /// nil for any.
  public let timeframe: Timeframe?
  /// nil for any.
  public let symbol: String?

  public init(kind: Kind, timeframe: Timeframe?, symbol: String?) {
    self.kind = kind
    self.timeframe = timeframe
    self.symbol = symbol
  }

  /// - Parameters:
  ///   - timeframes: those that are configured.
  ///   - isSymbol: whether a text has the form of a symbol.
  /// - Returns: nil if the text has not the form of a topic, or its timeframe is not configured.
  public init?(_ text: String, timeframes: [Timeframe], isSymbol: (String) -> Bool) {
    let parts = text.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    switch parts[0] {
    case "candle": kind = .candle
    case "closed": kind = .closed
    default: return nil
    }
    if parts[1] == "*" {
      timeframe = nil
    } else {
      guard let named = Timeframe(parts[1]), timeframes.contains(named) else { return nil }
      timeframe = named
    }
    if parts[2] == "*" {
      symbol = nil
    } else {
      guard isSymbol(String(parts[2])) else { return nil }
      symbol = String(parts[2])
    }
  }

  public func matches(_ other: Timeframe, _ name: String) -> Bool {
    (timeframe == nil || timeframe == other) && (symbol == nil || symbol == name)
  }

  public var name: String { "\(kind.name).\(timeframe?.name ?? "*").\(symbol ?? "*")" }
}
