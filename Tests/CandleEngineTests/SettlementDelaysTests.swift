import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct SettlementDelaysTests {
  private let fiveMinutes = SettlementRules(timeframes: [.M1, .M5])

  @Test func aTickSettlesAsLateAsItComes() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:00.250", "6")
    #expect(life.engine.settlementDelays.byTick.count == 1)
    #expect(life.engine.settlementDelays.byTick.sum == 0.25)
    #expect(life.engine.settlementDelays.byClock.count == 0)
  }

  @Test func theClockSettlesAfterItsGraceAndEachTimeframeCounts() {
    let life = EngineLife(fiveMinutes)
    life.trade("10:04:30", "5")
    life.tick("10:05:01")
    #expect(life.engine.settlementDelays.byClock.count == 2)
    #expect(life.engine.settlementDelays.byClock.sum == 2)
    #expect(life.engine.settlementDelays.byTick.count == 0)
  }

  @Test func aTickAheadOfTheClockIsNoNegativeDelay() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:00", "6", at: "10:00:58")
    #expect(life.engine.settlementDelays.byTick.count == 1)
    #expect(life.engine.settlementDelays.byTick.sum == 0)
  }

  @Test func aCorrectionIsNoSettlement() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:10", "6")
    let before = life.engine.settlementDelays
    life.trade("10:00:40", "7", at: "10:01:20")
    #expect(life.engine.counters.corrections == 1)
    #expect(life.engine.settlementDelays == before)
  }
}
