import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct EngineSourcesTests {
  @Test func aGapIsToldWhenItBeginsAndWhenItEnds() {
    let life = EngineLife()
    life.trade("10:00:30", "5")
    life.down(reason: .silence)
    #expect(life.news == ["gap 10:00:30– silence"])
    life.tick("10:01:01")
    #expect(life.news == ["closed M1 10:00 5/5/5/5 v1 n1 incomplete"])
    life.pass(to: "10:03:30")
    life.up()
    #expect(life.news == ["gap 10:00:30–10:03:30 silence"])
    life.tick("10:05:01")
    #expect(
      life.news == ["closed M1 10:03 5/5/5/5 v0 n0 flat incomplete", "closed M1 10:04 5/5/5/5 v0 n0 flat"])
  }

  @Test func aGapIsStoredAtBothEndsWithAVersionOfItsOwn() {
    let life = EngineLife()
    life.down()
    life.up()
    let gaps = life.handOver()!.gaps
    #expect(gaps.map(\.version) == [1, 2] && gaps.map(\.to) == [nil, DayTime.milliseconds("10:00")])
  }

  @Test func twoSourcesOfASymbolAreReplicas() {
    let life = EngineLife()
    life.up(2)
    life.down(1)
    #expect(life.engine.isListening(0) && life.news.isEmpty)
    life.down(2)
    #expect(!life.engine.isListening(0) && life.news == ["gap 10:00– disconnect"])
  }

  @Test func aSourceThatComesUpTwiceCountsOnce() {
    let life = EngineLife()
    life.up(1)
    life.up(1, ["A", "B"])
    life.down(1)
    #expect(!life.engine.isListening(0) && !life.engine.isListening(1))
    life.down(1)
    #expect(life.news.count == 2)
  }

  @Test func aSourceMayLoseOneOfItsSymbols() {
    let life = EngineLife()
    life.up(1, ["A", "B"])
    life.engine.sourceDown(SourceID(1), symbols: [0, 7], reason: .disconnect, at: life.instant)
    #expect(!life.engine.isListening(0) && life.engine.isListening(1))
    #expect(life.news == ["gap 10:00– disconnect"])
    life.up(1, ["A"])
    life.down(1)
    #expect(!life.engine.isListening(0) && !life.engine.isListening(1))
  }

  @Test func theFirstSourceOfASymbolEndsNoGap() {
    let life = EngineLife()
    #expect(life.news.isEmpty)
  }

  @Test func whatAnExchangeAheadOfUsHasSaidWasHeard() {
    let life = EngineLife()
    life.trade("10:00:33", "5", at: "10:00:30")
    life.down()
    #expect(life.news == ["gap 10:00:33– disconnect"])
    life.up()
    #expect(life.news == ["gap 10:00:33–10:00:33 disconnect"], "not before it began")
  }

  @Test func withRecordedDataListeningBeginsWithTheFirstTick() {
    let life = EngineLife(clock: .feed)
    #expect(!life.engine.isListening(0))
    life.frame([("10:00", "5", "A", .none)])
    #expect(life.engine.isListening(0))
    life.frame([("10:01", "5", "A", .none)])
    #expect(life.news == ["closed M1 10:00 5/5/5/5 v1 n1"])
  }
}
