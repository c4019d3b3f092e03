import CandleCore
import CandleTestSupport
import Testing

@Suite struct SettlerRestoreTests {
  /// A life that goes on where the stored candles of another one end.
  private func restart(_ life: Life, listening: String? = "00:00", flatRun: Int32 = 0) -> Life {
    let rules = life.rules
    let next = Life(
      rules.timeframes, empty: rules.emptyCandles, flatLimit: rules.flatLimit, grace: rules.grace,
      window: rules.correctionWindow, listening: listening)
    next.restore(stored(life), flatRun: flatRun, journal: life.journal)
    next.output.version = life.output.version
    return next
  }

  /// The latest state of each candle, by position of the timeframe, oldest first.
  private func stored(_ life: Life) -> [[Candle]] {
    life.rules.timeframes.map { timeframe in
      var latest: [Milliseconds: Candle] = [:]
      for update in life.output.updates where update.series.timeframe == timeframe {
        latest[update.candle.openTime] = update.candle
      }
      return latest.values.sorted { $0.openTime < $1.openTime }
    }
  }

  @Test func aSymbolWithoutHistoryBeginsAnew() {
    let life = Life()
    life.restore([[]], flatRun: 0)
    life.clock("10:00")
    #expect(life.news.isEmpty && life.clockDue == nil)
  }

  @Test func theLongerCandleGoesOnWithTheShorterOnesThatAreStored() {
    let life = Life([.M1, .M5])
    life.tick("10:00:30", "5")
    life.tick("10:01:30", "9")
    life.tick("10:02:30", "7")
    let next = restart(life)
    #expect(next.forming(.M5) == "10:00 5/9/5/7 v3 n3" && next.forming(.M1) == "10:02 7/7/7/7 v1 n1")
    next.tick("10:05:00", "8")
    #expect(next.news.last == "M5 10:00 closed 5/9/5/7 v3 n3 by tick")
  }

  @Test func whatEndedMeanwhileIsSettledByTheClock() {
    let life = Life([.M1, .M5])
    life.tick("10:00:30", "5")
    life.tick("10:01:30", "9")
    let next = restart(life, listening: nil)
    next.connect("10:20:30")
    next.clock("10:20:31")
    #expect(
      next.news == [
        "M1 10:01 closed 9/9/9/9 v1 n1 by clock incomplete", "M5 10:00 closed 5/9/5/9 v2 n2 by clock incomplete",
      ], "and the downtime is a gap, never flat candles")
  }

  @Test func aStoredCandleCanStillBeCorrected() {
    let life = Life([.M1, .M5])
    life.tick("10:00:30", "5")
    life.tick("10:01:30", "9")
    let next = restart(life)
    next.tick("10:00:40", "20", volume: "3", at: "10:01:32")
    #expect(next.news == ["M1 10:00 corrected 5/20/5/20 v4 n2 by tick r1"])
  }

  @Test func whatASourceSaidToBeSilentIsKnownAfterARestart() {
    let life = Life([.M1, .M5], listening: nil)
    life.connect("10:00")
    life.tick("10:00:30", "5")
    life.clock("10:03:01")
    var history = stored(life)
    // Cut for ten seconds in 10:01, which a source has told to be silent since.
    #expect(history[0][1].complete && history[0][1].origin == .flat)
    let next = Life([.M1, .M5], listening: nil)
    next.connect("10:00")
    next.disconnect("10:01:30")
    next.connect("10:01:40")
    next.restore(history, flatRun: 2, journal: life.journal)
    next.tick("10:05", "6")
    #expect(next.news.last == "M5 10:00 closed 5/5/5/5 v1 n1 by tick")
    // Without that it stays cut.
    history[0][1].complete = false
    let cut = Life([.M1, .M5], listening: nil)
    cut.connect("10:00")
    cut.disconnect("10:01:30")
    cut.connect("10:01:40")
    cut.restore(history, flatRun: 2, journal: life.journal)
    cut.tick("10:05", "6")
    #expect(cut.news.last == "M5 10:00 closed 5/5/5/5 v1 n1 by tick incomplete")
  }

  /// Ended by the end of a replay at 10:07:30.
  private func replayed(_ timeframes: [Timeframe] = [.M1, .M5, .M15]) -> [[Candle]] {
    let life = Life(timeframes, listening: "10:00")
    for (minute, price) in ["5", "9", "3", "4", "4", "4", "6", "7"].enumerated() {
      life.tick("10:0\(minute):30", Fixed(price)!)
    }
    life.end()
    return stored(life)
  }

  @Test func whatTheEndOfAReplayHasCutFormsAgain() {
    let life = Life([.M1, .M5, .M15], listening: nil)
    life.restore(replayed(), flatRun: 0)
    life.output.version = 100
    life.connect("10:07:40")
    #expect(life.forming(.M1) == "10:07 7/7/7/7 v1 n1 incomplete")
    #expect(life.forming(.M5) == "10:05 4/7/4/7 v3 n3 incomplete")
    #expect(life.forming(.M15) == "10:00 5/9/3/7 v8 n8 incomplete")
    life.tick("10:07:50", "8")
    #expect(life.forming(.M15) == "10:00 5/9/3/8 v9 n9 incomplete")
    life.tick("10:08:10", "1")
    #expect(life.news == ["M1 10:07 corrected 7/8/7/8 v2 n2 by end r1 incomplete"])
    life.clock("10:15:01")
    let news = life.news
    #expect(news.first == "M1 10:08 closed 1/1/1/1 v1 n1 by clock")
    #expect(news.contains("M5 10:05 corrected 4/8/1/1 v5 n5 by end r1 incomplete"))
    #expect(news.contains("M5 10:10 closed 1/1/1/1 v0 n0 by clock flat"))
    #expect(news.last == "M15 10:00 corrected 5/9/1/1 v10 n10 by end r1 incomplete")
  }

  @Test func aCutCandleIsIncompleteHoweverEarlyListeningBegins() {
    let life = Life([.M1, .M5], listening: "00:00")
    life.restore(replayed([.M1, .M5]), flatRun: 0)
    life.settler.missCut()
    life.tick("10:10", "8")
    #expect(
      life.news.prefix(1) == ["M1 10:07 corrected 7/7/7/7 v1 n1 by end r1 incomplete"])
    life.clock("10:15:01")
    #expect(life.news.last == "M5 10:10 closed 8/8/8/8 v1 n1 by clock")
  }

  @Test func aCutCandleThatWasSettledSinceStaysSettled() {
    var history = replayed([.M1, .M5])
    history[0][7].settlement?.revision = 1
    let life = Life([.M1, .M5])
    life.restore(history, flatRun: 0)
    #expect(life.forming(.M1) == "10:08 7/7/7/7 v0 n0 flat" && life.forming(.M5) == "10:05 4/7/4/7 v3 n3")
    life.tick("10:08:10", "8")
    #expect(life.news.isEmpty)
    // Behind a candle that a daemon settled nothing is cut.
    history[1][1].settlement?.revision = 1
    let whole = Life([.M1, .M5])
    whole.restore(history, flatRun: 0)
    #expect(whole.forming(.M5)?.hasPrefix("10:10") == true)
  }

  @Test func ticksOfAnEarlierProcessInACutCandleAreGivenBack() {
    let life = Life([.M1, .M5], listening: nil)
    let tick = Tick(time: Timestamp(nanoseconds: DayTime.nanoseconds("10:07:50")), price: "8", volume: "1")
    life.restore(replayed([.M1, .M5]), flatRun: 0, journal: [tick])
    #expect(life.forming(.M1) == "10:07 7/8/7/8 v2 n2 incomplete")
    #expect(life.forming(.M5) == "10:05 4/8/4/8 v4 n4 incomplete")
  }

  @Test func theFlatRunGoesOnWhereItStood() {
    let life = Life(flatLimit: 5)
    life.tick("10:00:30", "5")
    life.clock("10:04:01")
    let next = restart(life, flatRun: 3)
    next.clock("10:20")
    #expect(
      next.news == ["M1 10:04 closed 5/5/5/5 v0 n0 by clock flat", "M1 10:05 closed 5/5/5/5 v0 n0 by clock flat"])
    #expect(next.isDormant)
  }

  @Test func aRunThatReachesFurtherBackThanTheCandlesCounts() {
    let life = Life(flatLimit: 100)
    life.tick("10:00:30", "5")
    life.clock("10:04:01")
    var history = stored(life)
    history[0].removeFirst(2)
    let next = Life(flatLimit: 100)
    next.restore(history, flatRun: 99)
    next.clock("10:20")
    #expect(next.news == ["M1 10:04 closed 5/5/5/5 v0 n0 by clock flat"])
  }

  @Test func aDormantSymbolIsDormantAfterwards() {
    let life = Life(flatLimit: 2)
    life.tick("10:00:30", "5")
    life.clock("10:30")
    let next = restart(life, flatRun: 2)
    #expect(next.isDormant)
    next.clock("11:30")
    #expect(next.news.isEmpty && next.forming() == nil)
    next.tick("11:30:30", "6")
    next.clock("11:31:01")
    #expect(next.news == ["M1 11:30 closed 6/6/6/6 v1 n1 by clock"])
  }

  @Test func aTickIsTooLateByTheSameWindow() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:30", "5")
    let next = restart(life)
    #expect(next.tick("10:00:31", "5", at: "10:02:00") == .tooLate)
    #expect(next.tick("10:00:31", "5", at: "10:01:59.999") == nil)
  }

  @Test(arguments: [[Timeframe.M1, .M5, .M15], [.M1], [.S15, .M1, .M3], [.M3, .M5, .M15]])
  func restoredThenContinuedIsAsIfItWereNeverInterrupted(timeframes: [Timeframe]) {
    for seed in 0..<150 {
      let failure = difference(timeframes, seed: UInt64(seed))
      #expect(failure == nil, "seed \(seed)")
    }
  }

  /// Two lives with the same ticks, of which one is interrupted now and then.
  /// - Returns: the first series whose candles differ in the end.
  private func difference(_ timeframes: [Timeframe], seed: UInt64) -> String? {
    var random = SeededGenerator(seed: seed)
    let flatLimit = Int32(random.pick([0, 1, 3, 1_440]))
    let empty = random.pick([EmptyCandles.flat, .none])
    let whole = Life(timeframes, empty: empty, flatLimit: flatLimit)
    var part = Life(timeframes, empty: empty, flatLimit: flatLimit)
    var stored: [SeriesKey: [Milliseconds: CandleContent]] = [:]
    var known = Array(repeating: [Milliseconds: Candle](), count: timeframes.count)
    var now = Life.time("10:00") + random.int64(0...120_000)

    func keep() {
      for update in part.output.updates {
        stored[update.series, default: [:]][update.candle.openTime] = update.candle.content
        known[timeframes.firstIndex(of: update.series.timeframe)!][update.candle.openTime] = update.candle
      }
      part.output.updates.removeAll()
    }

    for _ in 0..<random.int(5...60) {
      now += random.pick([10, 1_000, 20_000, 70_000, 400_000])
      if random.chance(1, in: 4) {
        // The process ends and comes back; the journal brings the ticks.
        whole.settler.settleByClock(now: now, into: &whole.output)
        part.settler.settleByClock(now: now, into: &part.output)
        keep()
        let history = known.map { $0.values.sorted { $0.openTime < $1.openTime } }
        let run = Int32(history[0].reversed().prefix { $0.origin == .flat }.count)
        let version = part.output.version
        let journal = part.journal
        part = Life(timeframes, empty: empty, flatLimit: flatLimit)
        part.restore(history, flatRun: run, journal: journal)
        part.output.version = version
        // Empty intervals behind the last stored candle are past, too.
        part.settler.settleByClock(now: now, into: &part.output)
        keep()
        continue
      }
      // Some come late.
      let time = random.chance(1, in: 3) ? now - random.int64(0...90_000) : now
      let tick = Tick(
        time: Timestamp(milliseconds: time), price: Fixed(coefficient: random.int64(1...500), scale: 2),
        volume: Fixed(coefficient: random.int64(0...50), scale: 3), takerSide: random.pick([.buy, .sell]))
      whole.frame([tick], at: now)
      part.frame([tick], at: now)
      keep()
    }
    whole.settler.settleByClock(now: now + 2_000_000, into: &whole.output)
    part.settler.settleByClock(now: now + 2_000_000, into: &part.output)
    keep()
    var expected: [SeriesKey: [Milliseconds: CandleContent]] = [:]
    for update in whole.output.updates {
      expected[update.series, default: [:]][update.candle.openTime] = update.candle.content
    }
    for timeframe in timeframes {
      let key = SeriesKey(symbol: 0, timeframe: timeframe)
      for openTime in Set((stored[key] ?? [:]).keys).union((expected[key] ?? [:]).keys).sorted() {
        let pair = (stored[key]?[openTime], expected[key]?[openTime])
        if pair.0 != pair.1 {
          return "\(timeframe) \(DayTime.text(openTime)): \(pair.0.map(\.summary) ?? "nothing"), "
            + "uninterrupted \(pair.1.map(\.summary) ?? "nothing")"
        }
      }
    }
    return nil
  }

  @Test func afterARestartALateTickBeforeTheFirstBecomesTheOpen() {
    let life = Life()
    life.tick("10:00:30", "5")
    life.tick("10:01:30", "9")
    let next = restart(life)
    next.tick("10:00:10", "4", at: "10:01:32")
    next.tick("10:00:50", "6", at: "10:01:33")
    #expect(next.news.last == "M1 10:00 corrected 4/6/4/6 v3 n3 by tick r2")
  }
}
