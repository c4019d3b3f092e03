import CandleCore
import CandleTestSupport
import Testing

@testable import CandleEngine

@Suite struct EngineTicksTests {
  @Test func aBadTickNeverHurtsTheGoodOnesOfItsFrame() {
    let life = EngineLife(at: "10:00:30")
    let refused = life.frame([
      ("10:00:30", "5", "A", .none), ("10:00:50", "9", "A", .none), ("10:00:31", "6", "A", .none),
      ("09:00:31", "1", "A", .none),
    ])
    #expect(refused == [.tooFarAhead, .tooLate])
    #expect(life.engine.forming(0, position: 0)?.content.summary == "5/6/5/6 v2 n2")
  }

  @Test func refusalsSayWhichTick() {
    let life = EngineLife(at: "10:05:30")
    life.frame([("10:05:30", "5", "A", .none)])
    life.frame([("10:05:31", "5", "A", .none), ("10:02:00", "5", "A", .none), ("10:06:00", "5", "A", .none)])
    #expect(life.engine.refusals == [Refusal(index: 1, reason: .tooLate), Refusal(index: 2, reason: .tooFarAhead)])
    #expect(life.engine.counters.ticks == 2)
  }

  // MARK: Duplicates

  @Test func aTradeIDCountsOnceWithinAFrameAndOverFrames() {
    let life = EngineLife(at: "10:00:30")
    #expect(
      life.frame([("10:00:30", "5", "A", .number(1)), ("10:00:30", "5", "A", .number(1))]) == [.duplicate])
    #expect(life.trade("10:00:30", "5", id: .number(1)) == .duplicate)
    #expect(life.engine.forming(0, position: 0)?.content.ticks == 1)
  }

  @Test func idsOfDifferentVenuesAreDifferentTrades() {
    let life = EngineLife()
    #expect(life.trade("10:00:30", "5", id: .number(1), venue: 1) == nil)
    #expect(life.trade("10:00:30", "5", id: .number(1), venue: 2) == nil)
    #expect(life.trade("10:00:30", "5", id: .number(1), venue: 2) == .duplicate)
    #expect(life.trade("10:00:30", "5", id: .number(1), venue: 1) == .duplicate)
  }

  @Test func idsOfDifferentSymbolsAreDifferentTrades() {
    let life = EngineLife()
    #expect(life.trade("10:00:30", "5", "A", id: .number(1)) == nil)
    #expect(life.trade("10:00:30", "5", "B", id: .number(1)) == nil)
  }

  @Test func idsAreKnownOverReconnects() {
    let life = EngineLife()
    life.trade("10:00:30", "5", id: .number(1))
    life.down()
    life.up(2)
    #expect(life.trade("10:00:30", "5", id: .number(1), at: "10:00:40") == .duplicate)
  }

  @Test func ticksWithoutIDsAreNeverDuplicates() {
    let life = EngineLife()
    for _ in 0..<3 { #expect(life.trade("10:00:30", "5") == nil) }
  }

  @Test func aTradeIsADuplicateUntilItIsTooLate() {
    let life = EngineLife(SettlementRules(timeframes: [.M1], maxAhead: 5_000))
    life.trade("10:01:00", "5", id: .number(1), at: "10:00:55")
    for time in ["10:01:30", "10:02:10", "10:02:59.999"] {
      #expect(life.trade("10:01:00", "5", id: .number(1), at: time) == .duplicate)
      life.trade(time, "5")
    }
    #expect(life.trade("10:01:00", "5", id: .number(1), at: "10:03:00") == .tooLate)
  }

  @Test func aRefusedTickDoesNotUseUpItsID() {
    let life = EngineLife(at: "10:00:30")
    #expect(life.frame([("10:00:40", "5", "A", .number(1))]) == [.tooFarAhead])
    #expect(life.trade("10:00:40", "5", id: .number(1)) == nil)
  }

  // MARK: Late ticks

  @Test func theLateTicksOfOneFrameMakeOneRevision() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.trade("10:01:10", "6")
    _ = life.news
    life.frame([("10:00:40", "7", "A", .none), ("10:00:50", "8", "A", .none)])
    #expect(life.news == ["corrected M1 10:00 5/8/5/8 v3 n3 r1"])
    #expect(life.engine.counters.corrections == 1)
  }

  @Test func lateTicksOfSeveralSymbolsInOneFrame() {
    let life = EngineLife()
    life.up(2, ["B"])
    for name in ["A", "B"] { life.trade("10:00:30", "5", name) }
    for name in ["A", "B"] { life.trade("10:01:10", "5", name) }
    _ = life.news
    life.frame([("10:00:40", "7", "A", .none), ("10:00:40", "8", "B", .none), ("10:00:41", "9", "A", .none)])
    #expect(life.news == ["corrected M1 10:00 5/9/5/9 v3 n3 r1", "corrected M1 10:00 5/8/5/8 v2 n2 r1"])
  }

  @Test func withRecordedDataATickMayBeAheadAsFarAsItLikes() {
    let life = EngineLife(clock: .feed)
    #expect(life.frame([("10:00:30", "5", "A", .none), ("12:00:30", "5", "A", .none)]).isEmpty)
    #expect(life.frame([("10:00:40", "5", "A", .none)]) == [.tooLate])
  }
}
