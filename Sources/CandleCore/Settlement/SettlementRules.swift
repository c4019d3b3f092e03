/// What an interval without ticks yields.
public enum EmptyCandles: String, Sendable {
  case flat
  case none
}

/// The configuration of settlement; the same for all symbols.
public struct SettlementRules: Sendable, Equatable {
  /// In the order of their length, each once, at least one.
  public var timeframes: [Timeframe]
  /// How long after a boundary the clock waits for a tick.
  public var grace: Milliseconds
  /// How long after a candle's end a late tick still corrects it.
  public var correctionWindow: Milliseconds
  public var emptyCandles: EmptyCandles
  /// Flat candles in a row, in the shortest timeframe, after which a symbol is dormant; 0 = no limit.
  public var flatLimit: Int32
  /// How far past the server clock an event time may be; nil = as far as it likes.
  public var maxAhead: Milliseconds?

  public init(
    timeframes: [Timeframe] = [.M1, .M5, .M15], grace: Milliseconds = 1_000, correctionWindow: Milliseconds = 60_000,
    emptyCandles: EmptyCandles = .flat, flatLimit: Int32 = 1_440, maxAhead: Milliseconds? = 5_000
  ) {
    self.timeframes = Array(Set(timeframes)).sorted()
    self.grace = grace
    self.correctionWindow = correctionWindow
    self.emptyCandles = emptyCandles
    self.flatLimit = flatLimit
    self.maxAhead = maxAhead
  }

  /// The timeframe whose settlement decides what is late.
  public var shortest: Timeframe { timeframes[0] }

  /// Positions of the longer timeframes that are made of whole candles of the one at `position`.
  func parents(of position: Int) -> [Int] {
    timeframes.indices.filter { timeframes[position].divides(timeframes[$0]) }
  }

  /// Position of the timeframe that takes the ticks for the one at `position`: its divider's divider, and so on.
  public func root(of position: Int) -> Int { divider(of: position).map(root) ?? position }

  /// Timeframes that no other divides: their candles are made of ticks, the others of them.
  public var roots: [Timeframe] { timeframes.indices.filter { divider(of: $0) == nil }.map { timeframes[$0] } }

  /// Position of the longest timeframe that divides the one at `position`.
  public func divider(of position: Int) -> Int? {
    timeframes.indices.last { timeframes[$0].divides(timeframes[position]) }
  }
}
