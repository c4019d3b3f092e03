import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

/// Trades that were lost in a connection before its loss was noticed (rule 8).
@Suite struct EngineMissedTradesTests {
  private func engine(_ window: Milliseconds = 600_000) -> EngineLife {
    EngineLife(SettlementRules(timeframes: [.M1, .M5], correctionWindow: window))
  }

  private func trade(_ life: EngineLife, _ time: String, _ id: UInt64) {
    life.pass(to: time)
    let tick = Tick(
      symbol: 0, time: Timestamp(nanoseconds: DayTime.nanoseconds(time)), price: "5", volume: "1", id: .number(id))
    _ = withUnsafePointer(to: tick) {
      life.engine.ingest(
        UnsafeBufferPointer(start: $0, count: 1), venue: 9, contiguous: true, at: life.instant)
    }
  }

  /// A trade at 10:00:30, cut at 10:03:30, back at 10:04:10.
  private func cut(_ life: EngineLife) {
    trade(life, "10:00:30", 10)
    life.tick("10:03:30")
    life.down()
    life.tick("10:04:10")
    life.up()
    _ = life.news
  }

  private func corrections(_ news: [String]) -> [String] { news.filter { $0.hasPrefix("corrected") } }

  @Test func aHoleBehindAGapBeginsWithTheNewestTickBeforeIt() {
    let life = engine()
    cut(life)
    trade(life, "10:04:20", 12)
    life.tick("10:04:22")
    #expect(
      life.news == [
        "corrected M1 10:00 5/5/5/5 v1 n1 r1 incomplete", "corrected M1 10:01 5/5/5/5 v0 n0 r1 flat incomplete",
        "corrected M1 10:02 5/5/5/5 v0 n0 r1 flat incomplete", "gap 10:00:30–10:03:30 missed_trades",
      ])
    #expect(life.engine.counters.missedTrades == 1)
  }

  @Test func idsThatGoOnBehindAGapSayThatNothingWasMissed() {
    let life = engine()
    cut(life)
    trade(life, "10:04:20", 11)
    life.tick("10:04:30")
    #expect(life.news.isEmpty && life.engine.counters.missedTrades == 0)
    // A later hole has nothing to do with the gap.
    trade(life, "10:04:31", 13)
    life.tick("10:04:33")
    #expect(life.news == ["gap 10:04:20–10:04:31 missed_trades"])
  }

  @Test func aVenueThatSaysThatNothingCameMeanwhileEndsTheDoubt() {
    let life = engine()
    cut(life)
    life.engine.expectTrades(through: 10, of: 0, venue: 9, time: DayTime.milliseconds("10:04:15"), at: life.instant)
    trade(life, "10:04:20", 12)
    life.tick("10:04:22")
    #expect(life.news.last == "gap 10:00:30–10:04:20 missed_trades", "an ordinary hole")
  }

  @Test func aHoleThatIsFilledWithinTheGraceIsNone() {
    let life = engine()
    cut(life)
    trade(life, "10:04:20", 12)
    trade(life, "10:04:20", 11)
    life.tick("10:04:30")
    #expect(life.news.isEmpty)
  }

  @Test func aTickThatRanAheadLeavesNothingBeforeTheGap() {
    let life = engine()
    life.pass(to: "10:00:30")
    trade(life, "10:00:30", 10)
    life.down()
    life.up()
    _ = life.news
    trade(life, "10:00:32", 12)
    life.tick("10:00:34")
    #expect(life.news.isEmpty && life.engine.counters.missedTrades == 1, "the gap holds all of it")
  }

  @Test func candlesThatOnlyTheStoreHasAreCorrectedOnceItWasRead() {
    let life = engine(0)
    var stored: [SeriesKey: [Milliseconds: Candle]] = [:]
    func commit() -> [String] {
      for update in life.handOver()?.updates ?? [] {
        stored[update.series, default: [:]][update.candle.openTime] = update.candle
      }
      return life.news
    }
    trade(life, "10:00:30", 10)
    life.tick("10:03:30")
    _ = commit()
    life.down()
    life.tick("10:20:10")
    life.up()
    _ = commit()
    trade(life, "10:20:20", 12)
    life.tick("10:20:22")
    #expect(commit().isEmpty)
    let missed = life.engine.takeMissedTrades()
    #expect(
      missed?.from == DayTime.milliseconds("10:00:30") && missed?.to == DayTime.milliseconds("10:03:30")
        && life.engine.takeMissedTrades() == nil)
    life.engine.retryMissedTrades()
    #expect(life.engine.takeMissedTrades() == missed)
    let candles = life.engine.timeframes.map { timeframe in
      (stored[SeriesKey(symbol: 0, timeframe: timeframe)] ?? [:]).values.sorted { $0.openTime < $1.openTime }
    }
    life.engine.finishMissedTrades(
      MissedReading(candles: candles, values: candles.map { $0.map { _ in [7] } }), at: life.instant)
    let batch = life.handOver()!
    #expect(batch.values.first == [7], "stored values stay")
    #expect(batch.updates.allSatisfy { !$0.candle.complete && $0.candle.settlement?.revision == 1 })
    #expect(
      life.news.suffix(4) == [
        "filled M1 10:00 5/5/5/5 v1 n1 r1", "filled M1 10:01 5/5/5/5 v0 n0 r1",
        "corrected M1 10:02 5/5/5/5 v0 n0 r1 flat incomplete", "gap 10:00:30–10:03:30 missed_trades",
      ])
  }

  @Test func whatWasDecidedWhileTheStoreWasReadStandsAboveWhatWasRead() {
    let life = engine(60_000)
    trade(life, "10:00:30", 10)
    life.tick("10:04:30")
    life.down()
    life.tick("10:04:40")
    life.up()
    let stored = life.handOver()!
    _ = life.news
    trade(life, "10:04:50", 12)
    life.tick("10:04:52")
    #expect(life.engine.takeMissedTrades() != nil)
    let candles = life.engine.timeframes.map { timeframe in
      stored.updates.filter { $0.series.timeframe == timeframe }.map(\.candle)
    }
    life.trade("10:03:30", "9", at: "10:04:55")
    life.commitAll()
    // It has left the memory by then.
    for minute in 5...9 { life.trade("10:0\(minute):30", "7") }
    life.commitAll()
    life.engine.finishMissedTrades(
      MissedReading(candles: candles, values: candles.map { $0.map { _ in nil } }), at: life.instant)
    let corrected = life.handOver()!.updates.first { $0.candle.openTime == DayTime.milliseconds("10:03") }
    #expect(corrected?.candle.content.high == "9" && corrected?.candle.settlement?.revision == 2)
  }

  @Test func theIdsOfAnEarlierProcessGoOn() {
    let life = EngineLife(at: "10:30:00", source: false)
    let symbol = life.symbol("A")
    func recover(_ time: String, _ id: UInt64, stored: Bool = true) {
      let tick = Tick(
        symbol: symbol, time: Timestamp(nanoseconds: DayTime.nanoseconds(time)), price: "5", volume: "1",
        id: .number(id))
      life.engine.recover(
        tick, venue: 9, isStored: stored, serverTime: DayTime.milliseconds(time), contiguous: true)
    }
    let known = Gap(
      symbol: -1, from: DayTime.milliseconds("10:00:10"), to: DayTime.milliseconds("10:00:20"), reason: .missedTrades,
      version: 1)
    life.engine.restore(
      SymbolHistory(name: "A", candles: [[]], flatRun: 0, openGap: nil, missed: [known]))
    recover("10:00:10", 3)
    recover("10:00:20", 5)
    recover("10:00:30", 7)
    life.engine.finishRestore(alive: DayTime.milliseconds("10:00:50"), at: life.instant)
    life.up()
    _ = life.news
    life.tick("10:30:01")
    #expect(
      life.news.first == "gap 10:00:20–10:00:30 missed_trades", "what was not decided is, what was is not again")
    trade(life, "10:30:10", 9)
    life.tick("10:30:12")
    #expect(life.news == ["gap 10:00:30–10:00:50 missed_trades"])
  }
}
