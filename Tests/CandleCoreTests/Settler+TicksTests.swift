import CandleCore
import Testing

@Suite struct SettlerTicksTests {
  // MARK: Too late (rule 6)

  @Test func lateTickInsideTheWindowCorrectsTheCandle() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:10", "6")
    _ = life.news
    #expect(life.tick("10:00:40", "7", at: "10:01:59.999") == nil)
    #expect(life.news == ["M1 10:00 corrected 5/7/5/7 v2 n2 by tick r1"])
  }

  @Test func lateTickAtTheEdgeOfTheWindowIsTooLate() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:10", "6")
    #expect(life.tick("10:00:40", "7", at: "10:02:00") == .tooLate)
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by tick"])
  }

  @Test func theWindowIsThatOfTheTicksOwnCandleInTheShortestTimeframe() {
    let life = Life([.M1, .M15])
    life.tick("10:00:30", "5")
    life.tick("10:03:10", "6")
    #expect(life.tick("10:01:59.999", "7", at: "10:02:59.999") == nil)
    #expect(life.tick("10:02:00", "7", at: "10:03:59.999") == nil)
    #expect(life.tick("10:01:59.999", "7", at: "10:03:00") == .tooLate, "though M15 still forms")
  }

  @Test func theFirstTickOfASymbolIsTooLatePastItsWindow() {
    let life = Life()
    #expect(life.tick("10:00:30", "5", at: "10:02:00") == .tooLate)
    #expect(life.forming() == nil)
    #expect(life.tick("10:00:30", "5", at: "10:01:59.999") == nil)
    life.clock("10:01:59.999")
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by clock"])
  }

  @Test func aTickOfTheOpenCandleIsNeverTooLate() {
    let life = Life(window: 0)
    life.tick("10:00:30", "5")
    #expect(life.tick("10:00:00", "4", at: "10:01:00.9") == nil)
    life.clock("10:01:01")
    #expect(life.tick("10:00:59", "4", at: "10:01:01") == .tooLate)
  }

  // MARK: Overflow (rule 12)

  @Test func aVolumeThatDoesNotFitIsOverflow() {
    let life = Life()
    life.tick("10:00:01", "1", volume: "0.000000000000000001")
    for _ in 0..<170 { #expect(life.tick("10:00:02", "1", volume: "999999999999999999") == nil) }
    #expect(life.tick("10:00:03", "1", volume: "999999999999999999") == .overflow)
    #expect(life.forming() == "10:00 1/1/1/1 v169999999999999999830.000000000000000001 n171")
  }

  @Test func aTickIsTakenByAllTimeframesOrByNone() {
    let life = Life([.M1, .M5])
    life.tick("10:00:01", "1", volume: "0.000000000000000001")
    for _ in 0..<100 { life.tick("10:00:02", "1", volume: "999999999999999999") }
    for _ in 0..<70 { life.tick("10:01:02", "1", volume: "999999999999999999") }
    let minute = life.forming(.M1)
    #expect(life.tick("10:01:03", "9", volume: "999999999999999999") == .overflow, "M1 would hold it, M5 would not")
    #expect(life.forming(.M1) == minute)
    #expect(life.tick("10:02:03", "9", volume: "999999999999999999") == .overflow)
    #expect(life.forming(.M1) == minute, "nor does it settle anything")
    #expect(life.tick("10:00:03", "9", volume: "999999999999999999", at: "10:01:04") == .overflow, "late neither")
    #expect(life.tick("10:05:03", "9", volume: "999999999999999999") == nil)
  }

  @Test func overflowIsSaidBeforeTheTimeIsLookedAt() {
    let life = Life([.M1, .M5])
    life.tick("10:00:01", "1", volume: "0.000000000000000001")
    for _ in 0..<170 { life.tick("10:00:02", "1", volume: "999999999999999999") }
    #expect(life.tick("10:01:30", "1", volume: "999999999999999999", at: "10:01:00") == .overflow)
  }

  // MARK: The newest tick

  @Test func theNewestTickIsNotTheOneThatCameLast() {
    let life = Life()
    #expect(life.lastTick == nil)
    life.tick("10:00:30", "1")
    life.tick("10:00:10", "1", at: "10:00:31")
    #expect(life.lastTick == Life.time("10:00:30"))
  }

  // MARK: Jumps

  @Test func aTickSeveralIntervalsOnSettlesAllBetween() {
    let life = Life()
    life.tick("10:00:10", "5")
    life.tick("10:03:10", "6")
    #expect(
      life.news == [
        "M1 10:00 closed 5/5/5/5 v1 n1 by tick", "M1 10:01 closed 5/5/5/5 v0 n0 by tick flat",
        "M1 10:02 closed 5/5/5/5 v0 n0 by tick flat",
      ])
    #expect(life.forming() == "10:03 6/6/6/6 v1 n1")
  }

  @Test func inModeNoneATickSeveralIntervalsOnLeavesAHole() {
    let life = Life(empty: .none)
    life.tick("10:00:10", "5")
    life.tick("10:03:10", "6")
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by tick"])
  }

  @Test func aTickThatRunsAheadOfTheClockSettles() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:00.05", "6", at: "10:00:59.75")
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by tick"])
    life.clock("10:01:01")
    #expect(life.news.isEmpty)
  }
}
