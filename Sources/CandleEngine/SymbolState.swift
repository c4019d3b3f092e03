import CandleCore

/// All that the engine holds of one symbol.
struct SymbolState: ~Copyable {
  /// First, so that it lies where the symbol does.
  var settler: Settler
  let name: String
  /// Sources that are up and carry the symbol.
  var sources: Int32 = 0
  /// The gap that lasts, if one does.
  var openGap: Gap?
  /// Seen trade ids, by venue; one or two venues.
  var ids: [(venue: UInt32, memory: TradeIDMemory)] = []
  /// Ids of venues that number them without holes.
  var sequences: [(venue: UInt32, sequence: TradeIDSequence)] = []
  /// Whether the store was told the symbol's number in this process.
  var stored = false
  /// Bit per timeframe: the forming candle changed since it was last published.
  var dirty: UInt32 = 0
  /// In the engine's list of symbols with dirty candles.
  var queued = false
  var series: [SeriesPublication]
  /// Whether a history source is there to fill what is missing.
  var hasHistory = false
  /// What was decided since a fill began to read the store; nil while none does.
  var sinceRead: DecidedCandles?
  /// The same for a hole in trade ids.
  var sinceMissed: DecidedCandles?
  /// The hole in trade ids that was recorded last: a gap is known by its begin.
  var lastMissed: MissedTrades?
  /// While a restart lasts: where the holes in trade ids end that the store knows of, by where they begin.
  var knownMissed: [Milliseconds: Milliseconds] = [:]

  init(name: String, settler: consuming Settler, timeframes: Int) {
    self.settler = settler
    self.name = name
    series = Array(repeating: SeriesPublication(), count: timeframes)
  }
}

/// How far the publication of a series has come.
struct SeriesPublication {
  /// Settled candles that wait for their commit; forming messages wait behind them.
  var unpublished: Int32 = 0
  /// Monotonic time of the last forming message, in nanoseconds; far back, so that the first goes out at once.
  var lastForming: Int64 = .min / 2
  /// nil until the first candle is settled, or without indicators.
  var indicators: SeriesIndicators?
  /// Has candles in the database that its indicators have not seen.
  var isCold = false
}
