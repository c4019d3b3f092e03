/// What an interval without ticks yields.
public enum EmptyCandles: String, Sendable {
  case flat
  case none
}

/// The configuration of settlement; the same for all symbols.
public struct SettlementRules: Sendable, Equatable {
  /// In the order of their length, each once, at least one.
  public var timeframes: [Timeframe] {
    didSet {
      places = Self.places(of: timeframes)
      rootPositions = Self.rootPositions(places)
    }
  }
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
    places = Self.places(of: self.timeframes)
    rootPositions = Self.rootPositions(places)
    self.grace = grace
    self.correctionWindow = correctionWindow
    self.emptyCandles = emptyCandles
    self.flatLimit = flatLimit
    self.maxAhead = maxAhead
  }

  /// The timeframe whose settlement decides what is late.
  public var shortest: Timeframe { timeframes[0] }

  /// Where a timeframe stands among the others.
  struct Place: Sendable, Equatable {
    /// Position of the longest timeframe that divides it; nil where none does.
    var divider: Int?
    /// Position of the timeframe that takes the ticks for it: its divider's divider, and so on.
    var root: Int
    /// Positions of the longer timeframes that are made of whole candles of it.
    var parents: [Int]
  }

  /// By position; worked out once, so that ten thousand symbols share the lists.
  private(set) var places: [Place] = []
  /// Positions of the timeframes that no other divides; nearly always the shortest alone.
  private(set) var rootPositions: [Int] = []

  private static func rootPositions(_ places: [Place]) -> [Int] { places.indices.filter { places[$0].divider == nil } }

  private static func places(of timeframes: [Timeframe]) -> [Place] {
    var places: [Place] = []
    for (position, timeframe) in timeframes.enumerated() {
      let divider = timeframes.indices.last { timeframes[$0].divides(timeframe) }
      places.append(
        Place(
          divider: divider, root: divider.map { places[$0].root } ?? position,
          parents: timeframes.indices.filter { timeframe.divides(timeframes[$0]) }))
    }
    return places
  }

  /// Position of the timeframe that takes the ticks for the one at `position`.
  public func root(of position: Int) -> Int { places[position].root }

  /// Timeframes that no other divides: their candles are made of ticks, the others of them.
  public var roots: [Timeframe] { rootPositions.map { timeframes[$0] } }

  /// Position of the longest timeframe that divides the one at `position`.
  public func divider(of position: Int) -> Int? { places[position].divider }
}
