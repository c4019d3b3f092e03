import CandleCore
import CandleTestSupport
import Testing

@Suite struct SettlerSettleTests {
  // MARK: Tick or clock, never both (rule 3)

  @Test func theFirstTickPastTheEndSettlesAtOnce() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:00", "6")
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by tick"])
    life.clock("10:01:01")
    #expect(life.news.isEmpty)
  }

  @Test func theClockSettlesAtTheEndOfTheGraceAndNotBefore() {
    let life = Life()
    life.tick("10:00:58", "5")
    #expect(life.clockDue == Life.time("10:01:01"))
    life.clock("10:01:00.999")
    #expect(life.news.isEmpty)
    life.clock("10:01:01")
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by clock"])
  }

  @Test func aTickOfTheOldCandleWithinTheGraceIsNotLate() {
    let life = Life()
    life.tick("10:00:58", "5")
    life.tick("10:00:59.9", "6", at: "10:01:00.9")
    life.clock("10:01:01")
    #expect(life.news == ["M1 10:00 closed 5/6/5/6 v2 n2 by clock"])
  }

  @Test func afterAClockSettlementTheNextTickOpensTheCandleOfItsTime() {
    let life = Life()
    life.tick("10:00:58", "5")
    life.clock("10:01:02")
    _ = life.news
    life.tick("10:01:00.2", "6", at: "10:01:02.1")
    #expect(life.forming() == "10:01 6/6/6/6 v1 n1" && life.news.isEmpty)
  }

  @Test func anHourOfClockAndTicksIsSixtyCandles() {
    let life = Life()
    var random = SeededGenerator(seed: 1)
    var closed: [String] = []
    for minute in 0..<60 {
      let clock = minute < 10 ? "10:0\(minute)" : "10:\(minute)"
      life.tick("\(clock):00.2", "5", at: "\(clock):02.1")
      if random.chance(1, in: 2) { life.tick("\(clock):59.9", "6") }
      let next = minute == 59 ? "11:00" : minute < 9 ? "10:0\(minute + 1)" : "10:\(minute + 1)"
      if random.chance(2, in: 3) { life.clock("\(next):02") }
      closed += life.news
    }
    life.clock("11:00:02")
    closed += life.news
    #expect(closed.count == 60 && closed.allSatisfy { !$0.contains("flat") })
  }

  @Test func aLateClockSettlesAllThatIsDueInOrder() {
    let life = Life()
    life.tick("10:00:58", "5")
    life.clock("10:03:00.5")
    #expect(
      life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by clock", "M1 10:01 closed 5/5/5/5 v0 n0 by clock flat"])
    #expect(life.forming() == "10:02 5/5/5/5 v0 n0 flat")
  }

  // MARK: Cascade (rule 4)

  @Test func timeframesThatEndTogetherSettleTogetherTheShorterFirst() {
    let life = Life([.M1, .M5, .M15])
    life.tick("10:13:30", "5")
    life.tick("10:14:30", "6")
    _ = life.news
    life.tick("10:15:00", "7")
    #expect(
      life.news == [
        "M1 10:14 closed 6/6/6/6 v1 n1 by tick", "M5 10:10 closed 5/6/5/6 v2 n2 by tick",
        "M15 10:00 closed 5/6/5/6 v2 n2 by tick",
      ])
  }

  @Test func theClockKeepsTheOrderToo() {
    let life = Life([.M15, .M1, .M5])
    life.tick("10:14:59.5", "6")
    life.clock("10:15:01")
    #expect(life.news.map { String($0.prefix(10)) } == ["M1 10:14 c", "M5 10:10 c", "M15 10:00 "])
  }

  @Test func theLongerCandleAlwaysHoldsTheLastShorterOneWhateverTheInterleaving() {
    for seed in 0..<2_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      let life = Life([.M1, .M5])
      life.tick("10:03:10", "5")
      var events = [0, 1, 2, 3].shuffled(using: &random)
      while let event = events.popLast() {
        switch event {
        case 0: life.tick("10:04:59.99", "9", at: "10:05:00.3")
        case 1: life.clock("10:05:00.3")
        case 2: life.clock("10:05:01")
        default: life.tick("10:05:00", "7", at: "10:05:00.3")
        }
      }
      life.clock("10:06:01")
      var latest: [String: Candle] = [:]
      for update in life.output.updates {
        latest["\(update.series.timeframe) \(DayTime.text(update.candle.openTime))"] = update.candle
      }
      let minutes = ["M1 10:03", "M1 10:04"].compactMap { latest[$0]?.content }
      #expect(latest["M5 10:00"]?.content.volume.description == "2" && latest["M5 10:00"]?.content.close == "9")
      #expect(minutes.reduce(0) { $0 + $1.ticks! } == 2)
      let closes = life.news.filter { $0.contains("closed") }.map {
        $0.split(separator: " ").prefix(2).joined(separator: " ")
      }
      #expect(Set(closes).count == closes.count, "settled twice: \(closes)")
    }
  }

  @Test func flatCandlesGiveTheLongerOneNoOpenHighOrLow() {
    let life = Life([.M1, .M5])
    life.tick("10:04:30", "9")
    life.tick("10:07:30", "5", at: "10:07:30")
    life.tick("10:08:30", "6")
    _ = life.news
    life.tick("10:10:00", "7")
    #expect(
      life.news == [
        "M1 10:08 closed 6/6/6/6 v1 n1 by tick", "M1 10:09 closed 6/6/6/6 v0 n0 by tick flat",
        "M5 10:05 closed 5/6/5/6 v2 n2 by tick",
      ], "the flat 10:05 and 10:06 stood at 9")
  }

  @Test func aLongerCandleOfNothingButFlatOnesIsFlat() {
    let life = Life([.M1, .M5])
    life.tick("10:04:30", "9")
    life.clock("10:10:01")
    #expect(life.news.last == "M5 10:05 closed 9/9/9/9 v0 n0 by clock flat")
  }

  @Test func threeAndFiveMinutesAreSettledEachAtTheirOwnEnds() {
    let life = Life([.M3, .M5, .M15])
    life.tick("10:02:30", "1")
    life.tick("10:03:30", "2")
    life.tick("10:05:30", "3")
    #expect(life.news == ["M3 10:00 closed 1/1/1/1 v1 n1 by tick", "M5 10:00 closed 1/2/1/2 v2 n2 by tick"])
    #expect(life.forming(.M3) == "10:03 2/3/2/3 v2 n2" && life.forming(.M15) == "10:00 1/3/1/3 v3 n3")
    life.tick("10:15:00", "4")
    #expect(
      life.news == [
        "M3 10:03 closed 2/3/2/3 v2 n2 by tick", "M3 10:06 closed 3/3/3/3 v0 n0 by tick flat",
        "M5 10:05 closed 3/3/3/3 v1 n1 by tick", "M3 10:09 closed 3/3/3/3 v0 n0 by tick flat",
        "M3 10:12 closed 3/3/3/3 v0 n0 by tick flat", "M5 10:10 closed 3/3/3/3 v0 n0 by tick flat",
        "M15 10:00 closed 1/3/1/3 v3 n3 by tick",
      ])
  }

  @Test func aLateTickInAShorterCandleMayBelongToALongerOneThatForms() {
    let life = Life([.M3, .M5])
    life.tick("10:05:10", "1")
    life.tick("10:06:10", "2")
    _ = life.news
    life.tick("10:05:50", "9", at: "10:06:20")
    #expect(life.news == ["M3 10:03 corrected 1/9/1/9 v2 n2 by tick r1"])
    #expect(life.forming(.M5) == "10:05 1/9/1/2 v3 n3")
  }

  @Test func aWeekEndsOnSundayAtMidnight() {
    let life = Life([.D1, .W1])
    life.tick("19 23:59:59.999", "1")
    life.tick("20 00:00", "2")
    #expect(
      life.news == ["D1 19 00:00 closed 1/1/1/1 v1 n1 by tick", "W1 13 00:00 closed 1/1/1/1 v1 n1 by tick incomplete"])
    #expect(life.forming(.W1) == "20 00:00 2/2/2/2 v1 n1")
  }

  // MARK: Empty candles (rule 5)

  @Test func anIntervalWithoutTicksIsFlatFromTheFirstTickOn() {
    let life = Life()
    life.clock("10:00")
    life.tick("10:00:30", "5")
    for minute in 1...4 { life.clock("10:0\(minute):01") }
    #expect(
      life.news == [
        "M1 10:00 closed 5/5/5/5 v1 n1 by clock", "M1 10:01 closed 5/5/5/5 v0 n0 by clock flat",
        "M1 10:02 closed 5/5/5/5 v0 n0 by clock flat", "M1 10:03 closed 5/5/5/5 v0 n0 by clock flat",
      ])
  }

  @Test func aFlatCandleStandsAtTheClose() {
    let life = Life()
    life.tick("10:00:10", "5")
    life.tick("10:00:20", "9")
    life.tick("10:00:30", "7")
    life.clock("10:02:01")
    #expect(life.news.last == "M1 10:01 closed 7/7/7/7 v0 n0 by clock flat")
  }

  @Test func inModeNoneAnIntervalWithoutTicksYieldsNothing() {
    let life = Life([.M1, .M5], empty: .none)
    life.tick("10:00:30", "5")
    life.clock("10:20")
    #expect(life.news == ["M1 10:00 closed 5/5/5/5 v1 n1 by clock", "M5 10:00 closed 5/5/5/5 v1 n1 by clock"])
  }

  @Test func afterTheFlatLimitTheSymbolIsDormant() {
    let life = Life([.M1, .M5], flatLimit: 3)
    life.tick("10:00:30", "5")
    life.clock("10:30")
    #expect(
      life.news == [
        "M1 10:00 closed 5/5/5/5 v1 n1 by clock", "M1 10:01 closed 5/5/5/5 v0 n0 by clock flat",
        "M1 10:02 closed 5/5/5/5 v0 n0 by clock flat", "M1 10:03 closed 5/5/5/5 v0 n0 by clock flat",
        "M5 10:00 closed 5/5/5/5 v1 n1 by clock",
      ])
    #expect(life.isDormant)
  }

  @Test func theNextTickWakesADormantSymbolWithoutABurst() {
    let life = Life([.M1, .M5], flatLimit: 1)
    life.tick("10:00:30", "5")
    life.clock("10:30")
    _ = life.news
    life.tick("11:00:30", "6")
    #expect(life.news.isEmpty && !life.isDormant)
    #expect(life.forming(.M1) == "11:00 6/6/6/6 v1 n1", "the waking candle is complete")
    life.clock("11:02:01")
    #expect(
      life.news == ["M1 11:00 closed 6/6/6/6 v1 n1 by clock", "M1 11:01 closed 6/6/6/6 v0 n0 by clock flat"])
  }

  @Test func aTickThatEndsALongSilenceMakesNoMoreFlatCandlesThanTheLimit() {
    let life = Life(flatLimit: 2)
    life.tick("10:00:30", "5")
    life.tick("16 10:00:30", "6")
    #expect(life.news.count == 3 && life.forming() == "16 10:00 6/6/6/6 v1 n1")
  }

  @Test func withoutALimitItIsNeverDormant() {
    let life = Life(flatLimit: 0)
    life.tick("10:00:30", "5")
    life.clock("16 10:01:01")
    #expect(life.news.count == 1_441 && !life.isDormant)
  }

  // MARK: Complete and gaps (rule 8)

  @Test func aStartOnTheBoundaryIsCompleteAndOneAMillisecondLaterIsNot() {
    let exact = Life(listening: "10:00")
    exact.tick("10:00:30", "1")
    exact.clock("10:01:01")
    #expect(exact.news == ["M1 10:00 closed 1/1/1/1 v1 n1 by clock"])
    let late = Life(listening: "10:00:00.001")
    late.tick("10:00:30", "1")
    late.clock("10:01:01")
    #expect(late.news == ["M1 10:00 closed 1/1/1/1 v1 n1 by clock incomplete"])
  }

  @Test func aLongerCandleWithAnIncompleteOneInsideIsIncomplete() {
    let life = Life([.M1, .M5], listening: "10:02:30")
    life.tick("10:02:40", "1")
    life.tick("10:03:40", "1")
    life.tick("10:04:40", "1")
    life.tick("10:05:00", "1")
    #expect(
      life.news == [
        "M1 10:02 closed 1/1/1/1 v1 n1 by tick incomplete", "M1 10:03 closed 1/1/1/1 v1 n1 by tick",
        "M1 10:04 closed 1/1/1/1 v1 n1 by tick", "M5 10:00 closed 1/1/1/1 v3 n3 by tick incomplete",
      ])
  }

  @Test func whenTheLastSourceGoesTheClockStillSettlesWhatForms() {
    let life = Life()
    life.tick("10:00:30", "1")
    life.disconnect("10:00:40")
    life.clock("10:05:00")
    #expect(life.news == ["M1 10:00 closed 1/1/1/1 v1 n1 by clock incomplete"], "and no flat candles follow")
    #expect(life.forming() == nil)
  }

  @Test func flatCandlesGoOnWhereASourceIsBack() {
    let life = Life()
    life.tick("10:00:30", "1")
    life.disconnect("10:01:30")
    life.connect("10:04:30")
    life.clock("10:06:01")
    #expect(
      life.news == [
        "M1 10:00 closed 1/1/1/1 v1 n1 by clock", "M1 10:04 closed 1/1/1/1 v0 n0 by clock flat incomplete",
        "M1 10:05 closed 1/1/1/1 v0 n0 by clock flat",
      ], "10:01 was not listened to at its end")
  }

  @Test func aTickWithoutASourceIsStillACandle() {
    let life = Life(listening: nil)
    life.tick("10:00:30", "1")
    life.clock("10:03:01")
    #expect(life.news == ["M1 10:00 closed 1/1/1/1 v1 n1 by clock incomplete"])
  }

  // MARK: The end of a replay

  @Test func atTheEndOfTheInputWhatIsOpenIsSettledIncomplete() {
    let life = Life([.M1, .M5])
    life.tick("10:00:30", "1")
    life.tick("10:01:30", "2")
    _ = life.news
    life.end()
    #expect(
      life.news == [
        "M1 10:01 closed 2/2/2/2 v1 n1 by end incomplete", "M5 10:00 closed 1/2/1/2 v2 n2 by end incomplete",
      ])
    life.end()
    #expect(life.news.isEmpty)
  }

  @Test func atTheEndALongerCandleThatHoldsAShorterOneIsSettledToo() {
    let life = Life([.M1, .M5])
    life.tick("10:04:30", "1")
    life.tick("10:07:30", "2")
    _ = life.news
    life.clock("10:09:01")
    _ = life.news
    life.end()
    #expect(life.news == ["M5 10:05 closed 2/2/2/2 v1 n1 by end incomplete"])
  }

  // MARK: Versions

  @Test func everyCloseAndCorrectionGetsTheNextVersion() {
    let life = Life([.M1, .M5])
    life.tick("10:04:30", "1")
    life.tick("10:06:30", "2")
    life.tick("10:04:40", "3", at: "10:06:31")
    #expect(life.output.updates.map { $0.candle.settlement!.version } == Array(1...Int64(life.output.updates.count)))
    #expect(life.output.version == Int64(life.output.updates.count))
  }
}
