import CandleCore
import CandleEngine

/// A batch that the store has not acknowledged.
struct WaitingBatch {
  var batch: StoreBatch
  /// Records of the journal whose effects are in this batch or an earlier one.
  var sequence: Int
  /// Server time when it was made.
  var alive: Milliseconds?
  /// The checks as they stood with it; nil in a life without restarts, where they are never gone back to.
  var checker: PublicationChecker?
}

/// A record of the journal.
enum JournalEntry {
  case tick(Tick, serverTime: Milliseconds, contiguous: Bool)
  case listening(ListeningEvent)

  var serverTime: Milliseconds {
    switch self {
    case .tick(_, let time, _): time
    case .listening(let change): change.time
    }
  }

  func recover(into engine: Engine, isStored: Bool) {
    switch self {
    case .tick(let tick, let time, let contiguous):
      engine.recover(tick, venue: 1, isStored: isStored, serverTime: time, contiguous: contiguous)
    case .listening(let change):
      engine.recoverListening(change.symbol, at: change.time, ends: change.endReason, isStored: isStored)
    }
  }
}

/// What survives the end of a process: the committed batches.
struct SimulatedDatabase {
  private var candles: [String: [Timeframe: [Milliseconds: Candle]]] = [:]
  private var gaps: [String: [Milliseconds: Gap]] = [:]
  private(set) var version: Int64 = 0
  var sequence = 0
  var alive: Milliseconds?
  private(set) var checker: PublicationChecker

  init(version: Int64, checker: PublicationChecker) {
    self.version = version
    self.checker = checker
  }

  mutating func apply(_ waiting: WaitingBatch, names: [String]) {
    for update in waiting.batch.updates {
      let name = names[Int(update.series.symbol)]
      candles[name, default: [:]][update.series.timeframe, default: [:]][update.candle.openTime] = update.candle
    }
    for gap in waiting.batch.gaps { gaps[names[Int(gap.symbol)], default: [:]][gap.from] = gap }
    version = waiting.batch.version
    sequence = waiting.sequence
    alive = waiting.alive ?? alive
    if let waiting = waiting.checker { checker = waiting }
  }

  func candles(_ name: String, _ timeframe: Timeframe) -> [Candle] {
    (candles[name]?[timeframe] ?? [:]).values.sorted { $0.openTime < $1.openTime }
  }

  func unfilledGaps(of name: String) -> [Gap] {
    (gaps[name] ?? [:]).values.filter { !$0.filled }.sorted { $0.from < $1.from }
  }

  /// All there is of a symbol, as a fill reads it.
  func reading(of name: String, rules: SettlementRules) -> FillReading {
    let candles = rules.timeframes.map { self.candles(name, $0) }
    return FillReading(
      candles: candles, through: .max,
      heardSince: min(
        candles[0].first { $0.complete && $0.origin == .ticks }?.openTime ?? .max,
        gaps[name]?.values.filter { $0.reason != .missedTrades }.map(\.from).min() ?? .max),
      gaps: unfilledGaps(of: name), newest: candles)
  }

  /// All there is of a symbol; nil if the database does not know it.
  func history(of name: String, rules: SettlementRules) -> SymbolHistory? {
    guard candles[name] != nil || gaps[name] != nil else { return nil }
    let shortest = candles(name, rules.shortest)
    return SymbolHistory(
      name: name, candles: rules.timeframes.map { candles(name, $0) },
      flatRun: Int32(shortest.reversed().prefix { $0.origin == .flat }.count),
      openGap: gaps[name]?.values.first { $0.to == nil }.map { ($0.from, $0.reason) },
      missed: gaps[name]?.values.filter { $0.reason == .missedTrades } ?? [])
  }
}
