import CandleCore
import CandleTestSupport
import Testing

@Suite struct SettlerTests {
  // MARK: Place and content (rules 1 and 2)

  @Test func aTickOnTheBoundaryOpensTheNewCandle() {
    let life = Life()
    life.tick("10:00:59.999", "1", volume: "2")
    life.tick("10:01:00", "5", volume: "3")
    #expect(life.news == ["M1 10:00 closed 1/1/1/1 v2 n1 by tick"])
    #expect(life.forming() == "10:01 5/5/5/5 v3 n1")
  }

  @Test func theLastNanosecondBelongsToTheOldCandle() {
    let life = Life()
    life.tick("10:00:30", "1")
    life.tick("10:00:59.999999999", "2")
    #expect(life.news.isEmpty && life.forming() == "10:00 1/2/1/2 v2 n2")
  }

  @Test func aFormingCandleTakesTicksInTheOrderOfTheirOwnTimes() {
    let life = Life()
    life.tick("10:00:30", "2")
    life.tick("10:00:10", "1", at: "10:00:31")
    life.tick("10:00:20", "9", at: "10:00:32")
    #expect(life.forming() == "10:00 1/9/1/2 v3 n3")
  }

  @Test func everyTimeframeThatFormsHasTheSameClose() {
    let life = Life([.S15, .M1, .M5, .H1])
    for second in ["03", "14", "29", "31", "59"] {
      life.tick("10:07:\(second)", Fixed(second)!)
      let closes = Set((0..<4).map { life.settler.forming($0)!.content.close })
      #expect(closes == [Fixed(second)!])
    }
  }

  // MARK: What forms

  @Test func nothingFormsBeforeTheFirstTick() {
    let life = Life()
    life.clock("10:00")
    life.clock("12:00")
    #expect(life.forming() == nil && life.news.isEmpty && life.clockDue == nil)
  }

  @Test func inModeFlatTheNextCandleIsThereAtOnceAfterAClockSettlement() {
    let life = Life()
    life.tick("10:00:58", "7")
    life.clock("10:01:01")
    #expect(life.forming() == "10:01 7/7/7/7 v0 n0 flat")
    life.tick("10:01:01.5", "8")
    #expect(life.forming() == "10:01 8/8/8/8 v1 n1", "its first tick replaces it")
  }

  @Test func inModeNoneNothingFormsUntilATickComes() {
    let life = Life(empty: .none)
    life.tick("10:00:58", "7")
    life.clock("10:01:01")
    #expect(life.forming() == nil)
    life.tick("10:01:02", "8")
    #expect(life.forming() == "10:01 8/8/8/8 v1 n1")
  }

  @Test func aFormingFlatCandleIsDroppedWhenTheLastSourceGoes() {
    let life = Life()
    life.tick("10:00:58", "7")
    life.clock("10:01:01")
    life.disconnect("10:01:30")
    #expect(life.forming() == nil)
  }

  @Test func aDormantSymbolFormsNothing() {
    let life = Life(flatLimit: 1)
    life.tick("10:00:58", "7")
    life.clock("10:01:01")
    #expect(life.forming() == "10:01 7/7/7/7 v0 n0 flat" && !life.isDormant)
    life.clock("10:02:01")
    #expect(life.forming() == nil && life.isDormant)
  }

  @Test func aFormingCandleIsCompleteIfItWasListenedToFromItsBegin() {
    let exact = Life(listening: "10:00")
    exact.tick("10:00:30", "1")
    #expect(exact.forming() == "10:00 1/1/1/1 v1 n1")
    let late = Life(listening: "10:00:00.001")
    late.tick("10:00:30", "1")
    #expect(late.forming() == "10:00 1/1/1/1 v1 n1 incomplete")
  }

  // MARK: Refusals

  @Test func aTickFarAheadOfTheServerClockIsRefused() {
    let life = Life()
    #expect(life.tick("10:00:35.001", "1", at: "10:00:30") == .tooFarAhead)
    #expect(life.tick("10:00:35", "1", at: "10:00:30") == nil)
    #expect(life.tick("10:01:05.001", "1", at: "10:01:00") == .tooFarAhead)
    #expect(life.news.isEmpty, "a refused tick settles nothing")
  }

  @Test func withoutALimitATickMayBeAheadAsFarAsItLikes() {
    var rules = SettlementRules(timeframes: [.M1])
    rules.maxAhead = nil
    let settler = Settler(symbol: 0, rules: rules)
    let refusal = settler.refusal(of: Tick(time: Timestamp(milliseconds: DayTime.midnight), price: "1"), now: 0)
    #expect(refusal == nil)
  }

  @Test func refusalChangesNothing() {
    let life = Life()
    life.tick("10:00:30", "1")
    let tick = Tick(time: Timestamp(milliseconds: Life.time("10:07:00")), price: "9", volume: "1")
    _ = life.settler.refusal(of: tick, now: Life.time("10:07"))
    #expect(life.forming() == "10:00 1/1/1/1 v1 n1" && life.news.isEmpty)
  }
}
