import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct EngineRestoreTests {
  private func candle(_ time: String, _ price: Fixed, version: Int64) -> Candle {
    Candle(
      openTime: DayTime.milliseconds(time),
      content: CandleContent(
        open: price, high: price, low: price, close: price, volume: FixedSum("1"), turnover: FixedSum(price),
        takerBuyVolume: nil,
        ticks: 1), origin: .ticks, complete: true,
      settlement: Settlement(revision: 0, settledBy: .tick, version: version))
  }

  @Test func theDowntimeIsOneGapUntilASourceIsBack() {
    let life = EngineLife(at: "10:30:30", source: false)
    life.restore(
      SymbolHistory(name: "A", candles: [[candle("10:00", "5", version: 1)]], flatRun: 0, openGap: nil),
      alive: DayTime.milliseconds("10:01:20"))
    #expect(life.news == ["gap 10:01:20– restart"])
    life.tick()
    life.up()
    #expect(life.news == ["gap 10:01:20–10:30:30 restart"])
    life.trade("10:30:40", "6")
    life.tick("10:32:01")
    #expect(
      life.news == ["closed M1 10:30 6/6/6/6 v1 n1 incomplete", "closed M1 10:31 6/6/6/6 v0 n0 flat"],
      "no flat candles in the downtime")
  }

  @Test func aGapThatWasOpenGoesOn() {
    let life = EngineLife(at: "10:30:30", source: false)
    life.restore(
      SymbolHistory(
        name: "A", candles: [[candle("10:00", "5", version: 1)]], flatRun: 0,
        openGap: (DayTime.milliseconds("10:01:10"), .disconnect)), alive: DayTime.milliseconds("10:20"))
    life.up()
    #expect(life.news == ["gap 10:01:10–10:30:30 disconnect"])
  }

  @Test func theStoreIsToldTheNumberOfASymbolBeforeItsFirstRow() {
    let life = EngineLife(at: "10:01:30", source: false)
    life.restore(
      SymbolHistory(name: "A", candles: [[candle("10:00", "5", version: 1)]], flatRun: 0, openGap: nil), alive: nil)
    life.trade("10:01:40", "5")
    life.trade("10:02:40", "5")
    #expect(life.handOver()?.symbols.map(\.name) == ["A"])
    life.trade("10:03:40", "5")
    #expect(life.handOver()?.symbols.isEmpty == true)
  }

  @Test func withRecordedDataTheClockGoesOnFromTheNewestTimeThatIsKnown() {
    let life = EngineLife(clock: .feed, source: false)
    life.engine.finishRestore(alive: DayTime.milliseconds("09:00"), at: life.instant)
    #expect(life.engine.clock.now == DayTime.milliseconds("09:00"))
  }

  @Test func whatWasNotStoredIsDecidedAnewBeforeTheClockIsKnown() {
    let life = EngineLife(clock: .feed, source: false)
    let symbol = life.symbol("A")
    for (time, price) in [("10:00:10", "5"), ("10:01:10", "6")] as [(String, Fixed)] {
      let tick = Tick(
        symbol: symbol, time: Timestamp(nanoseconds: DayTime.nanoseconds(time)), price: price, volume: "1")
      life.engine.recover(tick, venue: 1, isStored: false, serverTime: DayTime.milliseconds(time))
    }
    #expect(life.news == ["closed M1 10:00 5/5/5/5 v1 n1 incomplete"])
    #expect(life.engine.settlementDelays.byTick.count == 0, "how long it took is not known")
  }
}
