import CandleCore
import CandleEngine
import CandleIndicators
import CandleTestSupport
import Testing

/// A life with a database that holds everything that was handed over.
private final class FilledLife {
  let life: EngineLife
  private var stored: [SeriesKey: [Milliseconds: Candle]] = [:]
  private var gaps: [Milliseconds: Gap] = [:]

  init(
    _ rules: SettlementRules = SettlementRules(timeframes: [.M1, .M5]), source: Bool = true,
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) {
    life = EngineLife(rules, source: source, configure: configure)
    life.engine.setHistory(true, of: life.symbol("A"))
  }

  var requests: [FillRequest] {
    var requests: [FillRequest] = []
    life.engine.takeFillRequests { requests.append($0) }
    return requests
  }

  var news: [String] {
    if let batch = life.handOver() {
      for update in batch.updates { stored[update.series, default: [:]][update.candle.openTime] = update.candle }
      for gap in batch.gaps { gaps[gap.from] = gap }
    }
    return life.news
  }

  /// By open time: the prices as `open/high/low/close`, or nil for silence.
  @discardableResult
  func fill(_ rows: [(String, CandleContent?)]) -> FillOutcome {
    let engine = life.engine
    engine.beginFill(0)
    let candles = engine.timeframes.map { timeframe in
      (stored[SeriesKey(symbol: 0, timeframe: timeframe)] ?? [:]).values.sorted { $0.openTime < $1.openTime }
    }
    let reading = FillReading(
      candles: candles, through: .max, heardSince: candles[0].first { $0.complete }?.openTime ?? .max,
      gaps: gaps.values.filter { !$0.filled }, newest: candles)
    return engine.fill(
      0, engine.timeframes[0],
      rows.map { FilledInterval(openTime: DayTime.milliseconds($0.0), content: $0.1) }, reading, learned: RangeList(),
      at: life.instant)
  }

  func candle(_ timeframe: Timeframe, _ time: String) -> Candle? {
    _ = news
    return stored[SeriesKey(symbol: 0, timeframe: timeframe)]?[DayTime.milliseconds(time)]
  }
}

private func row(
  _ open: Fixed, _ high: Fixed, _ low: Fixed, _ close: Fixed, volume: Fixed = "4", ticks: Int64? = nil,
  turnover: FixedSum? = nil
) -> CandleContent {
  CandleContent(
    open: open, high: high, low: low, close: close, volume: FixedSum(volume), turnover: turnover, takerBuyVolume: nil,
    ticks: ticks)
}

@Suite struct EngineFillTests {
  /// Ticks in 10:00 to 10:02, cut at 10:02:30, back at 10:04:10.
  private func cutLife(_ rules: SettlementRules = SettlementRules(timeframes: [.M1, .M5])) -> FilledLife {
    let filled = FilledLife(rules)
    filled.life.trade("10:00:10", "5")
    filled.life.trade("10:01:10", "6")
    filled.life.trade("10:02:10", "7")
    filled.life.tick("10:02:30")
    filled.life.down()
    filled.life.tick("10:04:10")
    filled.life.up()
    _ = filled.news
    return filled
  }

  @Test func anEndedGapAndItsIncompleteCandlesAreWanted() {
    let filled = cutLife()
    let wanted = filled.requests
    #expect(
      wanted.contains { if case .gap(let gap) = $0 { gap.to == DayTime.milliseconds("10:04:10") } else { false } })
    #expect(
      wanted.contains(
        .candle(SeriesKey(symbol: 0, timeframe: .M1), openTime: DayTime.milliseconds("10:02"))))
  }

  @Test func filledCandlesAreReplacedWholeAndTheLongerOneIsFoldedAnew() {
    let filled = cutLife()
    filled.life.trade("10:04:30", "9")
    filled.life.tick("10:05:01")
    _ = filled.news
    let outcome = filled.fill([
      ("10:02", row("7", "8", "7", "8")), ("10:03", row("8", "20", "1", "3")), ("10:04", row("3", "9", "3", "9")),
    ])
    #expect(outcome.filled == 3 && outcome.known.count == 3 && outcome.mismatched == 0)
    #expect(
      filled.news.filter { $0.hasPrefix("filled") } == [
        "filled M1 10:02 7/8/7/8 v4 n? r1", "filled M1 10:03 8/20/1/3 v4 n? r0", "filled M1 10:04 3/9/3/9 v4 n? r1",
        "filled M5 10:00 5/20/1/9 v14 n? r1",
      ])
    let five = filled.candle(.M5, "10:00")!
    #expect(five.origin == .history && five.complete && five.content.turnover == nil && five.content.ticks == nil)
    #expect(filled.candle(.M1, "10:03")!.settlement?.settledBy == .history)
    #expect(filled.candle(.M1, "10:02")!.settlement?.settledBy == .clock, "as it was first")
  }

  @Test func anOpenLongerCandleGoesOnFromTheFilledOnes() {
    let filled = cutLife()
    filled.fill([("10:02", row("7", "8", "7", "8")), ("10:03", row("8", "20", "1", "3"))])
    _ = filled.news
    filled.life.trade("10:04:30", "9")
    #expect(filled.life.engine.forming(0, position: 1)!.content.high == "20")
    filled.life.tick("10:05:01")
    _ = filled.news
    #expect(filled.candle(.M5, "10:00")!.content.low == "1" && filled.candle(.M5, "10:00")!.origin == .history)
    #expect(!filled.candle(.M5, "10:00")!.complete, "10:04 was not heard whole")
    filled.fill([("10:04", row("3", "9", "3", "9"))])
    #expect(filled.candle(.M5, "10:00")!.complete)
  }

  @Test func aLongerCandleAroundAFilledOneIsOfHistoryWheneverItSettles() {
    let filled = cutLife(SettlementRules(timeframes: [.M1, .M5, .M15]))
    filled.fill([("10:02", row("7", "8", "7", "8"))])
    filled.life.trade("10:06:10", "9")
    filled.life.tick("10:15:01")
    #expect(filled.candle(.M5, "10:00")?.origin == .history && filled.candle(.M5, "10:05")?.origin == .ticks)
    #expect(filled.candle(.M15, "10:00")?.origin == .history && filled.candle(.M15, "10:00")?.content.turnover == nil)
  }

  @Test func flatCandlesFollowTheFilledClose() {
    let filled = cutLife()
    filled.life.tick("10:08:01")
    _ = filled.news
    #expect(filled.candle(.M1, "10:06")!.content.close == "7")
    filled.fill([("10:02", row("7", "8", "7", "8")), ("10:03", row("8", "8", "3", "3")), ("10:04", nil)])
    for time in ["10:04", "10:05", "10:06", "10:07"] {
      let candle = filled.candle(.M1, time)!
      #expect(candle.origin == .flat && candle.content.close == "3" && candle.complete, "\(time)")
    }
    filled.life.tick("10:10:01")
    _ = filled.news
    #expect(filled.candle(.M1, "10:08")!.content.close == "3" && filled.candle(.M5, "10:05")!.content.open == "3")
  }

  @Test func whatIsCompleteFromTicksIsNeverOverwritten() {
    let filled = cutLife()
    let outcome = filled.fill([("10:01", row("9", "9", "9", "9")), ("10:02", row("7", "8", "7", "8"))])
    #expect(outcome.mismatched == 1 && outcome.filled == 1)
    #expect(filled.candle(.M1, "10:01")!.content.open == "6" && filled.life.engine.counters.historyMismatches == 1)
    #expect(filled.fill([("10:01", row("6", "6", "6", "6", volume: "1"))]).mismatched == 0)
  }

  @Test func aLateTickOfAFilledCandleChangesNothingAndIsCounted() {
    let filled = cutLife()
    filled.fill([("10:03", row("8", "20", "1", "3"))])
    _ = filled.news
    #expect(filled.life.trade("10:03:30", "500", at: "10:04:20") == nil)
    #expect(filled.news.isEmpty && filled.life.engine.supersededTicks == 1)
    #expect(filled.life.engine.forming(0, position: 1)!.content.high == "20")
  }

  @Test func aFilledCandleBeforeTheFirstHeardOneIsNotMadeAgainByALateTick() {
    let filled = FilledLife(SettlementRules(timeframes: [.S15, .M1], correctionWindow: 300_000, emptyCandles: .none))
    filled.life.trade("10:04:10", "5")
    filled.life.tick("10:04:20")
    _ = filled.news
    filled.fill([("10:01:00", row("7", "8", "7", "8")), ("10:01:15", nil)])
    #expect(filled.candle(.M1, "10:01")?.settlement?.revision == 0)
    #expect(filled.life.trade("10:01:40", "9", at: "10:04:25") == nil)
    let minute = filled.candle(.M1, "10:01")!
    #expect(minute.settlement?.revision == 1 && minute.content.open == "7" && minute.content.close == "9")
    #expect(filled.life.trade("10:01:10", "500", at: "10:04:26") == nil)
    #expect(filled.candle(.S15, "10:01")!.content.high == "8" && filled.life.engine.supersededTicks == 1)
  }

  @Test func aSilenceThatWasToldBeforeTheFirstTickIsOneBehindALateTick() {
    let filled = FilledLife(SettlementRules(timeframes: [.M1], correctionWindow: 600_000))
    filled.life.tick("10:02:10")
    filled.life.down()
    filled.life.tick("10:02:50")
    filled.life.up()
    filled.life.tick("10:04:02")
    _ = filled.news
    #expect(filled.fill([("10:02", nil)]).known.count == 1)
    filled.life.trade("10:04:10", "5")
    filled.life.trade("10:01:10", "4", at: "10:04:11")
    #expect(filled.candle(.M1, "10:02")?.origin == .flat && filled.candle(.M1, "10:02")?.complete == true)
  }

  @Test func aRowWithoutTradesIsFlatInLongerCandles() {
    let filled = cutLife()
    filled.fill([
      ("10:02", row("7", "7", "7", "7", volume: "1")), ("10:03", row("7", "7", "7", "7", volume: "0")),
      ("10:04", row("6.5", "6.5", "6.5", "6.5", volume: "0", ticks: 0)),
    ])
    _ = filled.news
    let three = filled.candle(.M1, "10:03")!
    #expect(three.origin == .history && three.content.ticks == 0 && three.isEmpty)
    #expect(filled.life.engine.forming(0, position: 1)!.content.low == "5")
  }

  @Test func withoutFlatCandlesSilenceLeavesNone() {
    let filled = cutLife(SettlementRules(timeframes: [.M1, .M5], emptyCandles: .none))
    filled.life.trade("10:05:10", "9")
    _ = filled.news
    let outcome = filled.fill([
      ("10:02", row("7", "8", "7", "8")), ("10:03", nil), ("10:04", row("8", "8", "8", "8", volume: "0")),
    ])
    #expect(outcome.known.count == 3)
    #expect(filled.candle(.M1, "10:03") == nil && filled.candle(.M1, "10:04") == nil)
    #expect(filled.candle(.M5, "10:00")!.complete)
  }

  @Test func aFilledGapIsToldAgain() {
    let filled = cutLife()
    guard case .gap(let gap)? = filled.requests.first(where: { if case .gap = $0 { true } else { false } }) else {
      Issue.record("no gap is wanted")
      return
    }
    filled.life.engine.markFilled(gap)
    #expect(filled.life.handOver()!.gaps.map(\.filled) == [true])
    #expect(filled.requests.isEmpty)
  }

  @Test func indicatorsGoOnAsIfTheFilledCandlesHadAlwaysBeenThere() {
    let filled = FilledLife(
      SettlementRules(timeframes: [.M1]),
      configure: { configuration in
        var indicators = IndicatorConfiguration()
        indicators.ma = [3]
        configuration.indicators = indicators
      })
    for (minute, price) in [("10:00", "5"), ("10:01", "6"), ("10:04", "9"), ("10:05", "10")] as [(String, Fixed)] {
      if minute == "10:04" {
        filled.life.tick("10:02:00")
        filled.life.down()
        filled.life.tick("10:04:00")
        filled.life.up()
      }
      filled.life.trade(minute + ":10", price)
    }
    filled.life.tick("10:06:01")
    _ = filled.news
    filled.fill([("10:02", row("7", "7", "7", "7")), ("10:03", row("8", "8", "8", "8"))])
    _ = filled.news
    filled.life.trade("10:06:30", "11")
    filled.life.publishForming()
    var values: ContiguousArray<Double>?
    filled.life.engine.takePublications { if case .forming(_, _, let found) = $0 { values = found } }
    #expect(values.map { abs($0[0] - 10) < 1e-9 } == true)
  }
}
