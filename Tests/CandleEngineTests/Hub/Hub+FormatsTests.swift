import CandleCore
import CandleEngine
import CandleTestSupport
import CandleWire
import Testing

@Suite struct HubFormatsTests {
  private func life(_ readers: (ReaderID, CandleFormat.Kind)..., corrections: Bool = false) -> HubLife {
    let life = HubLife()
    for (id, kind) in readers {
      life.hub.connect(id, format: CandleFormat(kind), corrections: corrections)
      life.hub.subscribe(id, [Topic(kind: .candle, timeframe: .M1, symbol: "A")])
      life.collect()
      life.answerAll()
    }
    return life
  }

  /// Numbers of the candles by their times in seconds, with their closes.
  private func bars(_ life: HubLife, _ id: ReaderID) -> [String] {
    life.messages(id).map { bar in
      let time = (bar["time"] ?? bar["timestamp"])!.integer!
      let seconds = bar["time"] != nil ? time : time / 1_000
      return "\((seconds - DayTime.midnight / 1_000) / 60)=\(bar["close"]?.integer ?? bar["value"]!.integer!)"
    }
  }

  @Test func nothingButCandlesIsSent() {
    let life = life((1, .lightweight))
    life.commitGap("A")
    life.publish()
    life.close("A", .M1, 1)
    life.forming("A", .M1, 2)
    #expect(bars(life, 1) == ["1=100", "2=200"])
  }

  @Test func aMessageIsMadeOnceForEachForm() {
    let life = life((1, .lightweight), (2, .lightweight), (3, .line), (4, .line), (5, .klinecharts))
    life.subscribe(6, ["candle.M1.A"])
    let before = life.hub.counters
    life.close("A", .M1, 1)
    #expect(life.hub.counters.encoded - before.encoded == 4)
    #expect(life.hub.counters.messages - before.messages == 6)
    #expect(bars(life, 1) == bars(life, 2) && bars(life, 3) == ["1=100"])
  }

  @Test(arguments: [CandleFormat.Kind.lightweight, .line, .klinecharts])
  func aChartNeverGoesBackInTime(kind: CandleFormat.Kind) {
    let life = life((1, kind))
    life.close("A", .M1, 1)
    life.close("A", .M1, 1, revision: 1)
    life.close("A", .M1, 2)
    life.close("A", .M1, 1, revision: 2)
    #expect(bars(life, 1) == ["1=100", "1=101", "2=200"], "a correction of the newest candle is one of it")
  }

  @Test func aCorrectionBeforeAnythingElseIsNotSent() {
    let life = life((1, .lightweight))
    life.close("A", .M1, 1, revision: 1)
    #expect(bars(life, 1) == [])
  }

  @Test func whoAsksGetsOlderCandles() {
    let life = life((1, .lightweight), (2, .klinecharts), corrections: true)
    life.close("A", .M1, 1)
    life.close("A", .M1, 2)
    life.close("A", .M1, 1, revision: 1)
    #expect(bars(life, 1) == ["1=100", "2=200", "1=101"])
    #expect(bars(life, 2) == ["1=100", "2=200", "1=101"])
  }

  @Test func aBarThatIsNewBetweenOthersIsLeftToTheNextHistory() {
    let life = life((1, .lightweight), (2, .klinecharts), corrections: true)
    life.close("A", .M1, 1)
    life.close("A", .M1, 5)
    life.close("A", .M1, 3, late: true)
    life.close("A", .M1, 3, revision: 1, late: true)
    life.close("A", .M1, 1, revision: 1)
    #expect(bars(life, 1) == ["1=100", "5=500", "1=101"])
    #expect(bars(life, 2) == ["1=100", "5=500", "3=300", "3=301", "1=101"])
  }

  @Test func aReplayNeverGoesBackInTimeEither() {
    let life = HubLife()
    for number in 1...3 { life.close("A", .M1, number) }
    life.close("A", .M1, 2, revision: 1)
    life.hub.connect(1, format: CandleFormat(.line))
    life.say(1, life.request(["closed.M1.A"], ",\"since\":{\"epoch\":\"7f3c\",\"version\":0}"))
    life.answerAll()
    #expect(life.messages(1).compactMap { $0["value"]?.integer } == [100, 300])
  }

  @Test func aSnapshotIsAHistory() {
    let life = HubLife()
    for number in 1...3 { life.close("A", .M1, number) }
    life.hub.connect(1, format: CandleFormat(.line))
    life.hub.subscribe(1, [Topic(kind: .candle, timeframe: .M1, symbol: "A")], start: .snapshot(2))
    life.collect()
    life.answerAll()
    #expect(life.messages(1).map { $0.array?.compactMap { $0["value"]?.integer } } == [[200, 300]])
    life.close("A", .M1, 2, revision: 1)
    #expect(bars(life, 1) == [], "older than what the snapshot ended with")
  }

  @Test func aLineIsWholeInEachMessageAndConflated() {
    let life = HubLife()
    for number in 1...3 { life.close("A", .M1, number) }
    life.hub.connect(1, format: CandleFormat(.rhlineplot))
    life.hub.subscribe(1, [Topic(kind: .candle, timeframe: .M1, symbol: "A")])
    life.collect()
    life.answerAll()
    func lines() -> [[Int64]] { life.messages(1).map { $0["values"]!.array!.map { $0.integer! } } }
    #expect(lines() == [[100, 200, 300]])
    life.forming("A", .M1, 4)
    life.close("A", .M1, 4)
    life.close("A", .M1, 2, revision: 1)
    #expect(lines() == [[100, 201, 300, 400]], "only the newest waits")
  }

  @Test func aLineThatIsBroughtUpToDateMissesNothing() {
    let life = HubLife()
    life.close("A", .M1, 1)
    life.hub.connect(1, format: CandleFormat(.rhlineplot))
    life.hub.subscribe(1, [Topic(kind: .candle, timeframe: .M1, symbol: "A")])
    life.collect()
    life.answer(life.waiting.removeFirst())
    // The snapshot is read, and before its answer something is published.
    life.answer(life.waiting.removeFirst())
    life.close("A", .M1, 2)
    life.close("A", .M1, 1, revision: 1)
    life.answerAll()
    #expect(life.messages(1).last?["values"] == .array([.number("101"), .number("200")]))
  }

  @Test func whatIsFilledComesWithoutAReload() {
    let life = HubLife(keys: IndicatorKeys(["ma5"]))
    life.hub.connect(1, format: CandleFormat(.klinecharts), corrections: true)
    life.hub.connect(2, format: CandleFormat(.lightweight), corrections: true)
    for id in [ReaderID(1), 2] { life.hub.subscribe(id, [Topic(kind: .candle, timeframe: .M1, symbol: "A")]) }
    life.collect()
    life.answerAll()
    life.subscribe(3, ["candle.M1.A"])
    life.close("A", .M1, 1)
    life.close("A", .M1, 3)
    var filled = HubLife.candle(2, .M1, version: 3, late: true)
    filled.origin = .history
    life.log.append(.candle(symbol: "A", timeframe: .M1, filled, values: nil))
    life.hub.publishFilled(
      CandleUpdate(series: SeriesKey(symbol: 0, timeframe: .M1), kind: .corrected, candle: filled), symbol: "A",
      position: 0)
    life.hub.finishFilled()
    life.collect()
    life.answerAll()
    #expect(life.lines(3).suffix(2) == ["corrected candle.M1.A 2 v3", "reload"])
    #expect(bars(life, 1) == ["1=100", "3=300", "2=200"])
    #expect(bars(life, 2) == ["1=100", "3=300"])
  }

  @Test func slowReadersAreCutInEveryForm() {
    let life = HubLife(maxBacklog: 2_000)
    life.hub.connect(1, format: CandleFormat(.lightweight))
    life.hub.subscribe(1, [Topic(kind: .candle, timeframe: .M1, symbol: "A")])
    life.collect()
    life.answerAll()
    for number in 1...60 { life.close("A", .M1, number) }
    #expect(life.closed[1]?.code == 1013)
  }

  @Test func aFormGoesWithItsLastReader() {
    let life = life((1, .lightweight), (2, .lightweight))
    life.hub.disconnect(1)
    life.close("A", .M1, 1)
    #expect(bars(life, 2) == ["1=100"])
    life.hub.disconnect(2)
    let before = life.hub.counters.encoded
    life.close("A", .M1, 2)
    #expect(life.hub.counters.encoded == before && life.hub.readerCount == 0)
  }
}
