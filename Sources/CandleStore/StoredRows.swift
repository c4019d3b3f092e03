import CandleCore

/// A series in the database.
public struct StoredSeries: Sendable, Equatable {
  public var symbol: String
  public var timeframe: Timeframe
  /// Open times of its first and last candle; nil if it has none.
  public var oldest: Milliseconds?
  public var newest: Milliseconds?

  public init(symbol: String, timeframe: Timeframe, oldest: Milliseconds?, newest: Milliseconds?) {
    self.symbol = symbol
    self.timeframe = timeframe
    self.oldest = oldest
    self.newest = newest
  }
}

/// A settled candle as stored.
public struct StoredCandle: Sendable, Equatable {
  public var symbol: String
  public var timeframe: Timeframe
  public var candle: Candle
  /// JSON text, if indicators were stored.
  public var indicators: [UInt8]?

  public init(symbol: String, timeframe: Timeframe, candle: Candle, indicators: [UInt8]? = nil) {
    self.symbol = symbol
    self.timeframe = timeframe
    self.candle = candle
    self.indicators = indicators
  }

  public var version: Int64 { candle.settlement?.version ?? 0 }
}

/// A gap as stored.
public struct StoredGap: Sendable, Equatable {
  public var symbol: String
  public var from: Milliseconds
  /// nil while it lasts.
  public var to: Milliseconds?
  public var reason: GapReason
  public var filled: Bool
  public var version: Int64

  public init(
    symbol: String, from: Milliseconds, to: Milliseconds?, reason: GapReason, filled: Bool, version: Int64
  ) {
    self.symbol = symbol
    self.from = from
    self.to = to
    self.reason = reason
    self.filled = filled
    self.version = version
  }
}

/// One row of a replay.
public enum StoredChange: Sendable, Equatable {
  case candle(StoredCandle)
  case gap(StoredGap)

  public var version: Int64 {
    switch self {
    case .candle(let candle): candle.version
    case .gap(let gap): gap.version
    }
  }
}

/// A part of a replay.
public struct ChangePage: Sendable, Equatable {
  /// In version order.
  public var changes: [StoredChange]
  /// Everything wanted up to this version has been returned; the next page begins after it.
  public var through: Int64
  /// Nothing wanted lies between `through` and the end that was asked for.
  public var isLast: Bool

  public init(changes: [StoredChange], through: Int64, isLast: Bool) {
    self.changes = changes
    self.through = through
    self.isLast = isLast
  }
}
