import CandleCore
import CandleIndicators
import CandleTestSupport
import Testing

@testable import CandleEngine

@Suite struct EngineIndicatorsTests {
  private let wide = SettlementRules(timeframes: [.M1], correctionWindow: 600_000)

  /// Only a moving average of three closes, so that one sees what is what.
  private func life(_ rules: SettlementRules, source: Bool = true, at start: String = "10:00") -> EngineLife {
    EngineLife(rules, at: start, source: source) { configuration in
      var indicators = IndicatorConfiguration()
      indicators.ma = [3]
      (indicators.mavol, indicators.rsi, indicators.wr) = ([], [], [])
      (indicators.boll, indicators.macd, indicators.kdj) = (nil, nil, nil)
      configuration.indicators = indicators
    }
  }

  @Test func valuesAreCommittedWithTheCandleAndNullUntilTheyAreWarm() {
    let life = life(wide)
    for (minute, price) in ["3", "6", "9", "12"].enumerated() { life.trade("10:0\(minute):30", Fixed(price)!) }
    #expect(
      life.news == [
        "closed M1 10:00 3/3/3/3 v1 n1 [null]", "closed M1 10:01 6/6/6/6 v1 n1 [null]",
        "closed M1 10:02 9/9/9/9 v1 n1 [6.0]",
      ])
  }

  @Test func theFormingCandleHasAPreviewThatChangesNothing() {
    let life = life(wide)
    for (minute, price) in ["3", "6", "9"].enumerated() { life.trade("10:0\(minute):30", Fixed(price)!) }
    _ = life.news
    life.publishForming()
    #expect(life.publications == ["forming M1 10:02 9/9/9/9 v1 n1 [6.0]"])
    life.trade("10:02:40", "90")
    life.publishForming()
    #expect(life.publications == ["forming M1 10:02 9/90/9/90 v2 n2 [33.0]"])
    life.trade("10:02:50", "12")
    life.trade("10:03:00", "1")
    #expect(life.news == ["closed M1 10:02 9/90/9/12 v3 n3 [7.0]"])
  }

  @Test func aCorrectionRestatesTheLaterCandlesWhoseValuesChanged() {
    let life = life(wide)
    for (minute, price) in ["3", "6", "9", "12", "15", "18"].enumerated() {
      life.trade("10:0\(minute):30", Fixed(price)!)
    }
    _ = life.news
    life.trade("10:01:40", "60", at: "10:05:31")
    #expect(
      life.news == [
        "corrected M1 10:01 6/60/6/60 v2 n2 r1 [null]", "corrected M1 10:02 9/9/9/9 v1 n1 r1 [24.0]",
        "corrected M1 10:03 12/12/12/12 v1 n1 r1 [27.0]",
      ], "each with a revision of its own; 10:04 has 9, 12 and 15 as before")
  }

  @Test func aCorrectionThatMovesNoValueRestatesNothing() {
    let life = life(wide)
    for (minute, price) in ["3", "6", "9", "12", "15"].enumerated() { life.trade("10:0\(minute):30", Fixed(price)!) }
    _ = life.news
    life.trade("10:01:10", "60", at: "10:04:31")
    #expect(life.news == ["corrected M1 10:01 60/60/6/6 v2 n2 r1 [null]"])
  }

  @Test func flatCandlesThatFollowACorrectedCloseAreCorrectedOnce() {
    let life = life(wide)
    life.trade("10:00:30", "3")
    life.tick("10:03:01")
    _ = life.news
    life.trade("10:00:40", "9", at: "10:03:02")
    #expect(
      life.news == [
        "corrected M1 10:00 3/9/3/9 v2 n2 r1 [null]", "corrected M1 10:01 9/9/9/9 v0 n0 r1 flat [null]",
        "corrected M1 10:02 9/9/9/9 v0 n0 r1 flat [9.0]",
      ])
  }

  @Test func aCandleMadeByALateTickMovesTheLaterValues() {
    let life = life(SettlementRules(timeframes: [.M1], correctionWindow: 600_000, emptyCandles: .none))
    for minute in [0, 1, 3, 4] {
      life.trade(
        "10:0\(minute):30",
        Fixed(coefficient: Int64(minute * 3), scale: 0) < "1" ? "1" : Fixed(coefficient: Int64(minute * 3), scale: 0))
    }
    _ = life.news
    life.trade("10:02:30", "100", at: "10:04:31")
    #expect(
      life.news == [
        "corrected M1 10:02 100/100/100/100 v1 n1 [\((1.0 + 3 + 100) / 3)]",
        "corrected M1 10:03 9/9/9/9 v1 n1 r1 [\((3.0 + 100 + 9) / 3)]",
      ])
  }

  @Test func whatCloseBehindACorrectionOfTheSameFrameIsComputedAfterIt() {
    let life = life(wide)
    for (minute, price) in ["3", "6", "9"].enumerated() { life.trade("10:0\(minute):30", Fixed(price)!) }
    _ = life.news
    life.pass(to: "10:03:10")
    life.frame([("10:01:40", "60", "A", .none), ("10:03:10", "12", "A", .none)])
    #expect(
      life.news.sorted() == [
        "closed M1 10:02 9/9/9/9 v1 n1 [24.0]", "corrected M1 10:01 6/60/6/60 v2 n2 r1 [null]",
      ])
  }

  // MARK: Warming

  private func stored(_ batches: [StoreBatch]) -> [Candle] {
    var latest: [Milliseconds: Candle] = [:]
    for batch in batches { for update in batch.updates { latest[update.candle.openTime] = update.candle } }
    return latest.values.sorted { $0.openTime < $1.openTime }
  }

  private func text(_ minute: Int) -> String {
    "\(10 + minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60):30"
  }

  @Test func warmedItGoesOnAsIfItHadNeverStopped() {
    for seed in 0..<20 {
      var random = SeededGenerator(seed: UInt64(seed))
      let prices = (0..<80).map { _ in Fixed(coefficient: random.int64(100...200), scale: 1) }
      let whole = EngineLife(wide) { $0.indicators = IndicatorConfiguration() }
      let first = EngineLife(wide) { $0.indicators = IndicatorConfiguration() }
      var batches: [StoreBatch] = []
      for minute in 0..<60 {
        whole.trade(text(minute), prices[minute])
        first.trade(text(minute), prices[minute])
        if let batch = first.handOver() { batches.append(batch) }
      }
      let candles = stored(batches)
      let second = EngineLife(wide, at: "10:59:40", source: false) { $0.indicators = IndicatorConfiguration() }
      second.restore(
        SymbolHistory(name: "A", candles: [Array(candles.suffix(random.int(1...12)))], flatRun: 0, openGap: nil),
        alive: nil)
      second.up()
      second.trade(text(59), prices[59], at: "10:59:40")
      let cold = second.engine.coldSeries { _, _ in true }
      #expect(cold == [ColdSeries(symbol: 0, name: "A", timeframe: .M1)])
      if random.chance(1, in: 2) {
        // Settled before it is warm.
        whole.trade(text(60), prices[60])
        second.trade(text(60), prices[60])
      }
      #expect(second.engine.warm(cold[0], with: candles))
      #expect(second.engine.coldSeries { _, _ in true }.isEmpty && second.engine.coldCount == 0)
      for minute in 61..<80 {
        whole.trade(text(minute), prices[minute])
        second.trade(text(minute), prices[minute])
      }
      // A late one, too.
      whole.trade(text(75), "999", at: "11:19:40")
      second.trade(text(75), "999", at: "11:19:40")
      let expected = settled(whole)
      let found = settled(second)
      for (openTime, values) in found where openTime > DayTime.milliseconds("11:00") {
        for (x, y) in zip(values ?? [], expected[openTime]! ?? []) {
          #expect(
            x.isNaN == y.isNaN && (x.isNaN || (x - y).magnitude <= 1e-9 * max(x.magnitude, 1)),
            "seed \(seed) \(DayTime.text(openTime))")
        }
        #expect(values?.count == expected[openTime]!?.count && values != nil)
      }
    }
  }

  private func settled(_ life: EngineLife) -> [Milliseconds: ContiguousArray<Double>?] {
    life.commitAll()
    var values: [Milliseconds: ContiguousArray<Double>?] = [:]
    life.engine.takePublications { publication in
      if case .settled(let update, let own) = publication { values[update.candle.openTime] = .some(own) }
    }
    return values
  }

  @Test func aColdSeriesHasNoValuesUntilItIsWarm() {
    let life = life(wide, source: false, at: "10:01:30")
    let candle = Candle(
      openTime: DayTime.milliseconds("10:00"), content: .flat(at: "3"), origin: .ticks, complete: true,
      settlement: Settlement(revision: 0, settledBy: .tick, version: 1))
    life.restore(SymbolHistory(name: "A", candles: [[candle]], flatRun: 0, openGap: nil), alive: nil)
    life.trade("10:01:30", "3")
    life.trade("10:02:30", "3")
    #expect(life.news == ["gap 10:01– restart", "closed M1 10:01 3/3/3/3 v1 n1 incomplete"])
    #expect(life.engine.coldSeries { name, _ in name == "B" }.isEmpty)
    let cold = life.engine.coldSeries { name, timeframe in name == "A" && timeframe == .M1 }
    #expect(life.engine.warm(cold[0], with: [candle]))
    life.trade("10:03:30", "3")
    #expect(life.news == ["closed M1 10:02 3/3/3/3 v1 n1 incomplete [3.0]"])
  }

  @Test func candlesSettledMeanwhileThatAreInNeitherPlaceAreReadAgain() {
    let life = life(SettlementRules(timeframes: [.M1], correctionWindow: 0), source: false, at: "10:01:30")
    let candle = Candle(
      openTime: DayTime.milliseconds("10:00"), content: .flat(at: "3"), origin: .ticks, complete: true,
      settlement: Settlement(revision: 0, settledBy: .tick, version: 1))
    life.restore(SymbolHistory(name: "A", candles: [[candle]], flatRun: 0, openGap: nil), alive: nil)
    for minute in 1...9 { life.trade("10:0\(minute):30", "3") }
    let cold = life.engine.coldSeries { _, _ in true }
    #expect(!life.engine.warm(cold[0], with: [candle]), "10:01 … are not known to either")
    #expect(life.engine.coldCount == 1)
  }
}
