/// What a history source says of one interval of a timeframe that takes ticks.
public struct FilledInterval: Sendable, Equatable {
  /// A boundary of the timeframe; the interval has ended.
  public var openTime: Milliseconds
  /// nil where nothing was traded.
  public var content: CandleContent?

  public init(openTime: Milliseconds, content: CandleContent?) {
    self.openTime = openTime
    self.content = content
  }
}

/// What is stored around intervals that are to be filled, as far as it decides what becomes of it.
public struct FillBasis: Sendable {
  /// By position of the timeframe, oldest first, the latest state of each: of the filled timeframe from the candle that
  /// flat ones may follow up to `through`, of the others all inside the slots that these touch.
  public var candles: [[Candle]]
  /// Up to where the candles of the filled timeframe are all there.
  public var through: Milliseconds
  /// Stretches about which nothing is known.
  public var unknown: RangeList
  /// Stretches that earlier answers have told whole.
  public var told: RangeList
  /// From here on what is not unknown was listened to: the first candle that is complete from ticks, or the begin of
  /// the first gap.
  public var heardSince: Milliseconds

  public init(candles: [[Candle]], through: Milliseconds, unknown: RangeList, told: RangeList, heardSince: Milliseconds)
  {
    self.candles = candles
    self.through = through
    self.unknown = unknown
    self.told = told
    self.heardSince = heardSince
  }
}

/// What a fill did.
public struct FillOutcome: Sendable, Equatable {
  /// Candles that came from the source.
  public var filled: Int64 = 0
  /// Candles that are complete from ticks and differ from what the source says.
  public var mismatched: Int64 = 0
  /// Of the intervals, those about which all is known now.
  public var known: [Milliseconds] = []
  /// By position of the timeframe: the open time of the first candle that changed.
  public var changedFrom: [Milliseconds?]
}
