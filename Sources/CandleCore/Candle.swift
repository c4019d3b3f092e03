/// What made a candle final.
public enum SettledBy: UInt8, Sendable {
  /// The first tick at or past its end.
  case tick
  /// The server clock, `grace` after its end.
  case clock
  /// The end of the input of a replay.
  case end
  /// A history source.
  case history

  public var name: String {
    switch self {
    case .tick: "tick"
    case .clock: "clock"
    case .end: "end"
    case .history: "history"
    }
  }
}

/// Where the content of a candle comes from.
public enum CandleOrigin: UInt8, Sendable {
  case ticks
  /// No ticks: open, high, low and close are the previous close.
  case flat
  case history

  public var name: String {
    switch self {
    case .ticks: "ticks"
    case .flat: "flat"
    case .history: "history"
    }
  }
}

/// Prices and sums of one interval.
public struct CandleContent: Sendable, Equatable {
  public var open: Fixed
  public var high: Fixed
  public var low: Fixed
  public var close: Fixed
  public var volume: FixedSum
  /// Σ price × volume; nil where it would not fit, or the history source has none.
  public var turnover: FixedSum?
  /// Volume of the ticks whose taker bought; nil unless every tick has a side.
  public var takerBuyVolume: FixedSum?
  /// Number of ticks; nil where the history source has none.
  public var ticks: Int64?

  public init(
    open: Fixed, high: Fixed, low: Fixed, close: Fixed, volume: FixedSum, turnover: FixedSum?,
    takerBuyVolume: FixedSum?, ticks: Int64?
  ) {
    self.open = open
    self.high = high
    self.low = low
    self.close = close
    self.volume = volume
    self.turnover = turnover
    self.takerBuyVolume = takerBuyVolume
    self.ticks = ticks
  }

  /// A candle without ticks after one that closed at `price`.
  public static func flat(at price: Fixed) -> CandleContent {
    CandleContent(
      open: price, high: price, low: price, close: price, volume: .zero, turnover: .zero, takerBuyVolume: nil, ticks: 0)
  }
}

/// How a candle was settled.
public struct Settlement: Sendable, Equatable {
  /// 0 when first settled, +1 with each correction.
  public var revision: Int32
  /// Stays what it was first, also after corrections.
  public var settledBy: SettledBy
  /// Number of this state of the candle in the one counter of the database.
  public var version: Int64
  /// True if it was first published as `corrected`: a late tick made it where no candle was.
  public var bornLate: Bool

  public init(revision: Int32, settledBy: SettledBy, version: Int64, bornLate: Bool = false) {
    self.revision = revision
    self.settledBy = settledBy
    self.version = version
    self.bornLate = bornLate
  }
}

/// A candle of a series, forming or settled.
public struct Candle: Sendable, Equatable {
  /// Unix milliseconds, a boundary of the timeframe.
  public var openTime: Milliseconds
  public var content: CandleContent
  public var origin: CandleOrigin
  /// False when the daemon did not listen for the whole interval.
  public var complete: Bool
  /// nil while it is forming.
  public var settlement: Settlement?

  /// Whether nothing was traded in it, so that it gives longer candles no open, high or low. A history source may say
  /// so too.
  public var isEmpty: Bool { origin == .flat || (origin == .history && content.ticks == 0) }

  public init(
    openTime: Milliseconds, content: CandleContent, origin: CandleOrigin, complete: Bool, settlement: Settlement?
  ) {
    self.openTime = openTime
    self.content = content
    self.origin = origin
    self.complete = complete
    self.settlement = settlement
  }
}

/// One symbol in one timeframe.
public struct SeriesKey: Hashable, Sendable {
  /// Number of the symbol in the process that interned it.
  public let symbol: Int32
  public let timeframe: Timeframe

  @inlinable public init(symbol: Int32, timeframe: Timeframe) {
    self.symbol = symbol
    self.timeframe = timeframe
  }
}

/// Why nothing is known about a stretch of time.
public enum GapReason: String, Sendable, CaseIterable {
  case disconnect
  case silence
  case restart
  case suspended
  case missedTrades = "missed_trades"
}

/// A stretch in which the daemon was not listening to a symbol.
public struct Gap: Sendable, Equatable {
  public var symbol: Int32
  public var from: Milliseconds
  /// nil while it lasts.
  public var to: Milliseconds?
  public var reason: GapReason
  public var filled: Bool
  public var version: Int64

  public init(
    symbol: Int32, from: Milliseconds, to: Milliseconds?, reason: GapReason, filled: Bool = false, version: Int64
  ) {
    self.symbol = symbol
    self.from = from
    self.to = to
    self.reason = reason
    self.filled = filled
    self.version = version
  }
}
