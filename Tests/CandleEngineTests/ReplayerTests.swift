import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct ReplayerTests {
  private func tick(_ time: String, _ price: Fixed, symbol: Int32 = 0, id: TradeID = .none) -> Tick {
    Tick(symbol: symbol, time: Timestamp(nanoseconds: DayTime.nanoseconds(time)), price: price, volume: "1", id: id)
  }

  private func replayer(_ rules: SettlementRules = SettlementRules(timeframes: [.M1]), symbols: Int = 1) -> Replayer {
    let replayer = Replayer(rules: rules, version: 10)
    for _ in 0..<symbols { _ = replayer.addSymbol() }
    return replayer
  }

  @discardableResult
  private func ingest(_ ticks: [Tick], _ replayer: Replayer) -> [RefusalReason] {
    var refused: [RefusalReason] = []
    ticks.withUnsafeBufferPointer { replayer.ingest($0) { refused.append($1) } }
    return refused
  }

  private func updates(_ replayer: Replayer) -> [String] {
    var lines: [String] = []
    replayer.takeUpdates { update in
      let settlement = update.candle.settlement!
      lines.append(
        "\(update.kind) \(update.series.timeframe) \(DayTime.text(update.candle.openTime)) "
          + "\(update.candle.content.summary) by \(settlement.settledBy)"
          + (settlement.revision > 0 ? " r\(settlement.revision)" : "") + (update.candle.complete ? "" : " incomplete"))
    }
    return lines
  }

  @Test func candlesAreThoseOfTheLivePath() {
    let replayer = replayer(SettlementRules(timeframes: [.M1, .M5]))
    ingest([tick("10:00", "5"), tick("10:00:30", "7"), tick("10:02:10", "6")], replayer)
    #expect(
      updates(replayer) == [
        "closed M1 10:00 5/7/5/7 v2 n2 by tick", "closed M1 10:01 7/7/7/7 v0 n0 by tick",
      ])
    #expect(updates(replayer).isEmpty && replayer.accepted == 3)
  }

  @Test func atTheEndOfTheInputWhatIsOpenIsSettled() {
    let replayer = replayer(SettlementRules(timeframes: [.M1, .M5]))
    ingest([tick("10:00", "5")], replayer)
    replayer.finish()
    #expect(
      updates(replayer) == [
        "closed M1 10:00 5/5/5/5 v1 n1 by end incomplete", "closed M5 10:00 5/5/5/5 v1 n1 by end incomplete",
      ])
  }

  @Test func aCandleBeforeTheFirstTickOfItsIntervalIsIncomplete() {
    let replayer = replayer()
    ingest([tick("10:00:30", "5"), tick("10:01:30", "5"), tick("10:02:30", "5")], replayer)
    #expect(
      updates(replayer) == [
        "closed M1 10:00 5/5/5/5 v1 n1 by tick incomplete", "closed M1 10:01 5/5/5/5 v1 n1 by tick",
      ])
  }

  @Test func theNewestEventTimeOfTheSymbolIsItsClock() {
    let replayer = replayer(symbols: 2)
    ingest([tick("10:00:30", "5"), tick("11:00:30", "5", symbol: 1)], replayer)
    #expect(ingest([tick("10:00:40", "5")], replayer).isEmpty, "the other symbol's time is not ours")
    ingest([tick("10:01:59", "5")], replayer)
    #expect(ingest([tick("10:00:50", "9")], replayer).isEmpty)
    #expect(updates(replayer).contains("corrected M1 10:00 5/9/5/9 v3 n3 by tick r1 incomplete"))
    ingest([tick("10:02", "5")], replayer)
    #expect(ingest([tick("10:00:50", "9")], replayer) == [.tooLate])
  }

  @Test func aTickMayBeAheadAsFarAsItLikes() {
    let replayer = replayer(SettlementRules(timeframes: [.M1], flatLimit: 3))
    #expect(ingest([tick("10:00", "5"), tick("20 10:00", "5")], replayer).isEmpty)
    #expect(updates(replayer).count == 4)
  }

  @Test func everyLineIsAFrameOfItsOwn() {
    let replayer = replayer()
    ingest([tick("10:00", "5"), tick("10:01", "5"), tick("10:00:10", "6"), tick("10:00:20", "7")], replayer)
    #expect(
      updates(replayer) == [
        "closed M1 10:00 5/5/5/5 v1 n1 by tick", "corrected M1 10:00 5/6/5/6 v2 n2 by tick r1",
        "corrected M1 10:00 5/7/5/7 v3 n3 by tick r2",
      ])
  }

  @Test func duplicatesAreRefusedAndAllThatIsRefusedIsCounted() {
    let replayer = replayer()
    let refused = ingest(
      [
        tick("10:00", "5", id: .number(1)), tick("10:00:10", "5", id: .number(1)), tick("10:05", "5"),
        tick("10:00", "5"),
      ],
      replayer)
    #expect(refused == [.duplicate, .tooLate])
    replayer.count(.badPrice)
    #expect(replayer.refused[Int(RefusalReason.duplicate.rawValue)] == 1)
    #expect(replayer.refused[Int(RefusalReason.tooLate.rawValue)] == 1)
    #expect(replayer.refused[Int(RefusalReason.badPrice.rawValue)] == 1 && replayer.accepted == 2)
  }

  @Test func versionsGoOnFromThoseOfTheDatabase() {
    let replayer = replayer(symbols: 100)
    for symbol in 0..<100 { ingest([tick("10:00", "5", symbol: Int32(symbol))], replayer) }
    replayer.finish()
    var versions: [Int64] = []
    replayer.takeUpdates { versions.append($0.candle.settlement!.version) }
    #expect(versions == Array(11...110) && replayer.symbolCount == 100)
  }

  @Test func aReplayedRecordingEqualsTheBatch() {
    for seed in 0..<100 {
      var random = SeededGenerator(seed: UInt64(seed))
      let rules = SettlementRules(
        timeframes: random.pick([[.M1, .M5], [.S5, .M1], [.M3, .M5, .M15]]),
        emptyCandles: random.pick([.flat, .none]), flatLimit: Int32(random.pick([0, 2, 1_440])), maxAhead: nil)
      let replayer = replayer(rules)
      var accepted: [Tick] = []
      var newest = DayTime.milliseconds("10:00") + random.int64(0...120_000)
      let start = newest
      for _ in 0..<200 {
        let time = newest + random.pick([0, 500, 20_000, -10_000, -70_000, 200_000])
        let tick = Tick(
          time: Timestamp(milliseconds: time), price: Fixed(coefficient: random.int64(1...99), scale: 1), volume: "2")
        if ingest([tick], replayer).isEmpty { accepted.append(tick) }
        newest = max(newest, time)
      }
      var stored: [Timeframe: [Milliseconds: CandleContent]] = [:]
      replayer.takeUpdates { stored[$0.series.timeframe, default: [:]][$0.candle.openTime] = $0.candle.content }
      let model = CandleModel(
        rules: rules, ticks: accepted,
        listening: [CandleModel.Stretch(from: min(start, accepted[0].time.milliseconds), to: .max)])
      for (timeframe, candles) in model.candles(upTo: newest) {
        #expect(stored[timeframe] ?? [:] == candles.mapValues(\.content), "seed \(seed) \(timeframe)")
      }
    }
  }
}
