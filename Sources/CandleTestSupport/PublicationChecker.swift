import CandleCore
import CandleEngine

/// Holds everything that is stored and published against the rules of settlement, message by message.
struct PublicationChecker {
  let rules: SettlementRules
  /// The database: the latest state of each candle.
  var stored: [SeriesKey: [Milliseconds: Candle]] = [:]
  /// The largest version that the store acknowledged.
  var committed: Int64 = 0
  /// End of the newest candle that was settled, by symbol.
  var settledEnd: [Int32: Milliseconds] = [:]
  private(set) var lastStored: Int64 = 0
  private var lastPublished: Int64 = 0
  /// Indicator values as they were last published.
  private(set) var values: [SeriesKey: [Milliseconds: ContiguousArray<Double>]] = [:]
  /// Series in which candles were filled, and from where: indicators of later ones are not published anew.
  private(set) var reloaded: [SeriesKey: Milliseconds] = [:]
  private var published: [SeriesKey: [Milliseconds: Candle]] = [:]
  private var lastClosed: [SeriesKey: Milliseconds] = [:]
  private var lastEnd: [Int32: (end: Milliseconds, timeframe: Timeframe)] = [:]
  private var openGaps: [Int32: Milliseconds] = [:]

  init(rules: SettlementRules) { self.rules = rules }

  mutating func store(_ batch: StoreBatch, _ fail: (String) -> Simulation.Failure) throws {
    for update in batch.updates {
      guard let settlement = update.candle.settlement else { throw fail("a forming candle was stored") }
      let before = stored[update.series]?[update.candle.openTime]
      if settlement.version <= lastStored { throw fail("version \(settlement.version) after \(lastStored)") }
      lastStored = settlement.version
      if update.candle.openTime != update.series.timeframe.openTime(of: update.candle.openTime) {
        throw fail("open time \(update.candle.openTime) is no boundary")
      }
      try checkPrices(update.candle.content, fail)
      let end = update.candle.openTime + update.series.timeframe.interval
      if update.kind == .closed {
        if before != nil { throw fail("settled twice: \(update)") }
        if settlement.revision != 0 || settlement.bornLate { throw fail("closed with revision \(settlement)") }
        let last = lastEnd[update.series.symbol] ?? (.min, .S1)
        if (end, update.series.timeframe) <= last { throw fail("cascade out of order: \(update) after \(last)") }
        // What the end of a replay has cut goes on.
        if settlement.settledBy != .end {
          lastEnd[update.series.symbol] = (end, update.series.timeframe)
          settledEnd[update.series.symbol] = end
        }
      } else if let before = before?.settlement {
        if settlement.revision != before.revision + 1 { throw fail("revision \(settlement.revision) after \(before)") }
        if settlement.settledBy != before.settledBy { throw fail("settled_by changed") }
      } else if settlement.revision != 0 || !settlement.bornLate || settlement.settledBy == .end {
        throw fail("a candle made by a late tick or a fill has \(settlement)")
      }
      stored[update.series, default: [:]][update.candle.openTime] = update.candle
    }
    for gap in batch.gaps where gap.version > lastStored { lastStored = max(lastStored, gap.version) }
    if batch.version < lastStored { throw fail("batch version \(batch.version) below \(lastStored)") }
  }

  /// The process died: what was not committed is gone, what was is what a reader that resumes gets.
  mutating func crash() {
    published = stored
    lastPublished = lastStored
    committed = lastStored
    openGaps = [:]
    values = [:]
    reloaded = [:]
  }

  mutating func publish(_ publication: Publication, _ fail: (String) -> Simulation.Failure) throws {
    switch publication {
    case .settled(let update, let values):
      self.values[update.series, default: [:]][update.candle.openTime] = values
      guard let settlement = update.candle.settlement else { throw fail("settled without settlement") }
      if settlement.version > committed { throw fail("published before it was committed: \(settlement.version)") }
      if settlement.version <= lastPublished {
        throw fail("published version \(settlement.version) after \(lastPublished)")
      }
      lastPublished = settlement.version
      if update.kind == .closed {
        if let last = lastClosed[update.series], update.candle.openTime <= last { throw fail("closed went back") }
        lastClosed[update.series] = update.candle.openTime
      }
      published[update.series, default: [:]][update.candle.openTime] = update.candle
    case .filled(let update):
      guard let settlement = update.candle.settlement else { throw fail("filled without settlement") }
      if settlement.version > committed { throw fail("published before it was committed: \(settlement.version)") }
      if settlement.version <= lastPublished {
        throw fail("filled version \(settlement.version) after \(lastPublished)")
      }
      lastPublished = settlement.version
      published[update.series, default: [:]][update.candle.openTime] = update.candle
      reloaded[update.series] = min(reloaded[update.series] ?? .max, update.candle.openTime)
      values[update.series] = values[update.series]?.filter { $0.key < update.candle.openTime }
    case .forming(let series, let candle, _):
      if candle.settlement != nil { throw fail("forming with a settlement") }
      if let known = stored[series]?[candle.openTime], !isCut(known) {
        throw fail("forming after it was settled: \(known)")
      }
      // Its predecessor was published before.
      for openTime in (stored[series] ?? [:]).keys where openTime < candle.openTime {
        guard published[series]?[openTime] != nil else {
          throw fail("forming before the closed message of \(openTime)")
        }
      }
      try checkPrices(candle.content, fail)
    case .gap(let gap):
      if gap.version > committed { throw fail("gap published before it was committed") }
      if gap.version <= lastPublished { throw fail("gap version \(gap.version) after \(lastPublished)") }
      lastPublished = gap.version
      if gap.filled {
        guard gap.to != nil else { throw fail("an open gap is filled: \(gap)") }
        return
      }
      if gap.reason == .missedTrades {
        guard let to = gap.to, to >= gap.from else { throw fail("odd gap \(gap)") }
      } else if let to = gap.to, gap.reason == .suspended {
        if openGaps[gap.symbol] ?? gap.from != gap.from || to < gap.from { throw fail("odd gap \(gap)") }
        openGaps[gap.symbol] = nil
      } else if let to = gap.to {
        // After a restart the begin of a gap may have been published by the process before.
        if openGaps.removeValue(forKey: gap.symbol) ?? gap.from != gap.from || to < gap.from {
          throw fail("odd gap \(gap)")
        }
      } else {
        if openGaps.updateValue(gap.from, forKey: gap.symbol) != nil { throw fail("two gaps at once") }
      }
    }
  }

  /// Whatever is stored was published, in the same state, and longer candles are the folds of shorter ones.
  func finish(_ fail: (String) -> Simulation.Failure) throws {
    if published != stored { throw fail("published and stored candles differ") }
    for (series, candles) in stored {
      let dividers = rules.timeframes.filter { $0.divides(series.timeframe) }
      for candle in candles.values where !dividers.isEmpty && !isCut(candle) {
        var found = false
        for shorter in dividers {
          let inside = (stored[SeriesKey(symbol: series.symbol, timeframe: shorter)] ?? [:]).values
            .filter { series.timeframe.openTime(of: $0.openTime) == candle.openTime }
          try checkFold(candle, inside.sorted { $0.openTime < $1.openTime }, fail)
          if !inside.isEmpty { found = true }
        }
        if !found { throw fail("a longer candle without a shorter one inside: \(series) \(candle)") }
      }
    }
  }

  /// The end of a replay has cut it, and its interval is not over.
  func isCut(_ candle: Candle) -> Bool { candle.settlement?.settledBy == .end && candle.settlement?.revision == 0 }

  private func checkPrices(_ content: CandleContent, _ fail: (String) -> Simulation.Failure) throws {
    let low = min(content.open, content.close)
    let high = max(content.open, content.close)
    if content.low > low || content.high < high { throw fail("prices out of order: \(content)") }
  }

  private func checkFold(
    _ candle: Candle, _ inside: [Candle], _ fail: (String) -> Simulation.Failure
  ) throws {
    let trading = inside.filter { !$0.isEmpty }
    if trading.isEmpty != candle.isEmpty { throw fail("origin of the longer candle at \(candle.openTime)") }
    guard let first = trading.first, let last = trading.last else { return }
    var volume = FixedSum.zero
    var ticks: Int64 = 0
    for part in trading {
      _ = volume.add(part.content.volume)
      ticks += part.content.ticks ?? 0
    }
    let content = candle.content
    if content.open != first.content.open || content.close != last.content.close || content.ticks != ticks
      || content.volume != volume || content.high != trading.map(\.content.high).max()
      || content.low != trading.map(\.content.low).min()
    {
      throw fail("longer candle \(candle) is not the fold of \(trading)")
    }
  }
}
