import CandleCore
import CandleTestSupport
import Testing

@Suite struct SettlerCorrectionsTests {
  @Test func aCorrectionIsAsIfTheTickHadComeInTime() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:00:40", "6")
    life.tick("10:01:10", "7")
    _ = life.news
    life.tick("10:00:35", "9", volume: "2", at: "10:01:11")
    #expect(life.news == ["M1 10:00 corrected 5/9/5/6 v4 n3 by tick r1"], "the close stays: the tick is not the newest")
    life.tick("10:00:10", "4", at: "10:01:12")
    #expect(life.news == ["M1 10:00 corrected 4/9/4/6 v5 n4 by tick r2"])
  }

  @Test func settledByStaysWhatItWasFirst() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.clock("10:01:01")
    _ = life.news
    life.tick("10:00:40", "6", at: "10:01:05")
    #expect(life.news == ["M1 10:00 corrected 5/6/5/6 v2 n2 by clock r1"])
  }

  @Test func everyTimeframeOfTheTickIsCorrectedTheShorterFirst() {
    let life = Life([.M1, .M5, .M15])
    life.tick("10:14:30", "5")
    life.tick("10:15:10", "7")
    _ = life.news
    life.tick("10:14:40", "6", at: "10:15:20")
    #expect(
      life.news == [
        "M1 10:14 corrected 5/6/5/6 v2 n2 by tick r1", "M5 10:10 corrected 5/6/5/6 v2 n2 by tick r1",
        "M15 10:00 corrected 5/6/5/6 v2 n2 by tick r1",
      ])
  }

  @Test func aLongerCandleThatStillFormsTakesTheTickWithoutACorrection() {
    let life = Life([.M1, .M5])
    life.tick("10:00:30", "5")
    life.tick("10:01:10", "7")
    _ = life.news
    life.tick("10:00:40", "9", at: "10:01:20")
    #expect(life.news == ["M1 10:00 corrected 5/9/5/9 v2 n2 by tick r1"])
    #expect(life.forming(.M5) == "10:00 5/9/5/7 v3 n3")
  }

  @Test func flatCandlesBehindACorrectedOneFollowItsClose() {
    let life = Life(window: 300_000)
    life.tick("10:00:30", "5")
    life.clock("10:03:01")
    _ = life.news
    life.tick("10:00:40", "6", at: "10:03:02")
    #expect(
      life.news == [
        "M1 10:00 corrected 5/6/5/6 v2 n2 by clock r1", "M1 10:01 corrected 6/6/6/6 v0 n0 by clock r1 flat",
        "M1 10:02 corrected 6/6/6/6 v0 n0 by clock r1 flat",
      ])
    #expect(life.forming() == "10:03 6/6/6/6 v0 n0 flat")
  }

  @Test func flatCandlesStayWhereTheCloseDidNotChange() {
    let life = Life(window: 300_000)
    life.tick("10:00:30", "5")
    life.clock("10:03:01")
    _ = life.news
    life.tick("10:00:20", "9", at: "10:03:02")
    #expect(life.news == ["M1 10:00 corrected 9/9/5/5 v2 n2 by clock r1"])
  }

  @Test func flatCandlesUpToTheNextTickOnly() {
    let life = Life(window: 300_000)
    life.tick("10:00:30", "5")
    life.clock("10:02:01")
    life.tick("10:02:30", "7")
    life.clock("10:04:01")
    _ = life.news
    life.tick("10:00:40", "6", at: "10:04:02")
    #expect(
      life.news == [
        "M1 10:00 corrected 5/6/5/6 v2 n2 by clock r1", "M1 10:01 corrected 6/6/6/6 v0 n0 by clock r1 flat",
      ])
  }

  @Test func aFlatCandleThatGetsItsFirstTickIsOneOfTicks() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.clock("10:02:01")
    _ = life.news
    life.tick("10:01:30", "8", at: "10:02:02")
    #expect(life.news == ["M1 10:01 corrected 8/8/8/8 v1 n1 by clock r1"])
    #expect(life.forming() == "10:02 8/8/8/8 v0 n0 flat")
  }

  @Test func aLateTickWhereNoCandleIsStoredMakesOne() {
    let life = Life([.M1, .M5], empty: .none)
    life.tick("10:00:30", "5")
    life.tick("10:02:10", "7")
    _ = life.news
    life.tick("10:01:30", "6", at: "10:02:20")
    #expect(life.news == ["M1 10:01 corrected 6/6/6/6 v1 n1 by tick"], "revision 0, published as corrected")
    life.tick("10:01:40", "9", at: "10:02:30")
    #expect(life.news == ["M1 10:01 corrected 6/9/6/9 v2 n2 by tick r1"])
    #expect(life.forming(.M5) == "10:00 5/9/5/7 v4 n4")
  }

  @Test func aLateTickBeforeTheFirstOneMakesItsCandleAndTheFlatOnesBehindIt() {
    let life = Life(window: 300_000)
    life.tick("10:03:30", "5")
    life.clock("10:04:01")
    _ = life.news
    life.tick("10:01:30", "3", at: "10:04:02")
    #expect(
      life.news == ["M1 10:01 corrected 3/3/3/3 v1 n1 by tick", "M1 10:02 corrected 3/3/3/3 v0 n0 by tick flat"])
  }

  @Test func aLateTickInsideAGapMakesACandleThatIsNotComplete() {
    let life = Life(window: 600_000)
    life.tick("10:00:30", "5")
    life.disconnect("10:00:50")
    life.connect("10:05:00")
    life.clock("10:05:01")
    _ = life.news
    life.tick("10:02:30", "6", at: "10:05:02")
    #expect(life.news == ["M1 10:02 corrected 6/6/6/6 v1 n1 by tick incomplete"], "no flat candles in a gap")
  }

  @Test func theLateTicksOfOneFrameMakeOneRevision() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:10", "7")
    _ = life.news
    life.frame([("10:00:40", "6"), ("10:00:50", "8"), ("10:00:20", "4")], at: "10:01:20")
    #expect(life.news == ["M1 10:00 corrected 4/8/4/8 v4 n4 by tick r1"])
  }

  @Test func aFrameMayHoldALateTickAndOneThatSettles() {
    let life = Life(window: 300_000)
    life.tick("10:00:30", "5")
    life.clock("10:02:01")
    _ = life.news
    life.frame([("10:01:30", "6"), ("10:03:10", "7")], at: "10:03:10")
    let news = life.news
    #expect(news.filter { $0.contains("closed") } == ["M1 10:02 closed 6/6/6/6 v0 n0 by tick flat"])
    #expect(news.filter { $0.contains("corrected") } == ["M1 10:01 corrected 6/6/6/6 v1 n1 by clock r1"])
  }

  @Test func aWokenSymbolSleepsAfterItsLimitCountedFromTheLateTick() {
    let life = Life(flatLimit: 2, window: 600_000)
    life.tick("10:00:30", "5")
    life.clock("10:06:01")
    _ = life.news
    #expect(life.isDormant)
    life.tick("10:02:30", "6", at: "10:06:02")
    #expect(
      life.news == [
        "M1 10:02 corrected 6/6/6/6 v1 n1 by clock r1", "M1 10:03 corrected 6/6/6/6 v0 n0 by tick flat",
        "M1 10:04 corrected 6/6/6/6 v0 n0 by tick flat",
      ], "as one pass over the sorted ticks would have it")
  }

  @Test func longerCandlesAddUpExactlyAlsoAfterCorrections() {
    let life = Life([.M1, .M5], window: 600_000)
    life.tick("10:00:30", "0.1", volume: "0.1")
    life.tick("10:02:30", "0.3", volume: "0.2")
    life.tick("10:06:00", "1")
    life.tick("10:01:30", "0.7", volume: "0.00000001", at: "10:06:01")
    var latest: [String: CandleContent] = [:]
    for update in life.output.updates {
      latest["\(update.series.timeframe) \(DayTime.text(update.candle.openTime))"] = update.candle.content
    }
    var sum = FixedSum.zero
    for minute in 0..<5 { _ = sum.add(latest["M1 10:0\(minute)"]!.volume) }
    #expect(latest["M5 10:00"]!.volume == sum && sum.description == "0.30000001")
  }

  @Test func restatingGivesACandleItsNextRevisionWithTheSameContent() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:10", "7")
    _ = life.news
    life.settler.restate(Life.time("10:00"), at: 0, into: &life.output)
    #expect(life.news == ["M1 10:00 corrected 5/5/5/5 v1 n1 by tick r1"])
    life.settler.restate(Life.time("09:00"), at: 0, into: &life.output)
    #expect(life.news.isEmpty)
  }

  @Test func theSettledCandlesOfTheWindowCanBeAskedFor() {
    let life = Life()
    for minute in 0..<9 { life.tick("10:0\(minute):30", "5") }
    let kept = life.settled(from: "00:00")
    #expect(kept.suffix(2) == ["10:06", "10:07"] && kept.count < 6)
    #expect(life.settled(from: "10:07").count == 1)
  }
}
