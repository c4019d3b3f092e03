import Testing

@testable import CandleCore

@Suite struct ListeningTests {
  @Test func nothingIsHeardBeforeTheFirstSource() {
    let listening = Listening()
    #expect(!listening.covers(0, 10) && !listening.reaches(end: 10))
  }

  @Test func aRunningStretchCoversAllFromItsBegin() {
    var listening = Listening()
    listening.begin(at: 100)
    #expect(listening.covers(100, 1_000) && !listening.covers(99, 1_000))
    #expect(listening.reaches(end: 101) && !listening.reaches(end: 100))
  }

  @Test func aSecondSourceChangesNothing() {
    var listening = Listening()
    listening.begin(at: 100)
    listening.begin(at: 200)
    #expect(listening.since == 100)
  }

  @Test func anEndedStretchIsRememberedUntilTheHorizon() {
    var listening = Listening()
    listening.begin(at: 100)
    listening.end(at: 200, horizon: 0)
    #expect(listening.since == nil)
    #expect(listening.covers(100, 200) && !listening.covers(100, 201) && !listening.covers(99, 200))
    #expect(listening.reaches(end: 200) && !listening.reaches(end: 201))
    listening.begin(at: 300)
    listening.end(at: 400, horizon: 201)
    #expect(!listening.covers(100, 200) && listening.covers(300, 400))
  }

  @Test func twoStretchesWithAHoleCoverNothingAcrossIt() {
    var listening = Listening()
    listening.begin(at: 0)
    listening.end(at: 50, horizon: 0)
    listening.begin(at: 60)
    #expect(!listening.covers(0, 100) && listening.covers(60, 100) && listening.reaches(end: 50))
  }

  @Test func aStretchWithoutLengthIsNone() {
    var listening = Listening()
    listening.begin(at: 100)
    listening.end(at: 100, horizon: 0)
    #expect(!listening.reaches(end: 100) && !listening.covers(100, 100))
  }

  @Test func whatASourceTellsIsAsIfItHadBeenHeard() {
    var listening = Listening()
    listening.begin(at: 0)
    listening.end(at: 50, horizon: 0)
    listening.begin(at: 170)
    #expect(!listening.covers(0, 200))
    listening.learn(40, 100)
    #expect(listening.covers(0, 100) && !listening.covers(0, 200))
    listening.learn(100, 200)
    #expect(listening.covers(0, 300) && listening.since == 0)
  }

  @Test func stretchesThatOnlyTouchStayApartUntilSomethingAcrossThemIsTold() {
    var listening = Listening()
    listening.begin(at: 100)
    listening.end(at: 200, horizon: 0)
    listening.begin(at: 200)
    listening.learn(60, 120)
    #expect(!listening.covers(150, 250), "a disconnect within a millisecond is one")
    listening.learn(180, 240)
    #expect(listening.covers(60, 250))
  }

  @Test func aHoleInTradeIDsThatASourceTellsIsNone() {
    var listening = Listening()
    listening.begin(at: 0)
    listening.miss(from: 40, to: 160, horizon: 0)
    listening.learn(60, 120)
    #expect(listening.covers(60, 120) && !listening.covers(0, 60) && !listening.covers(120, 180))
  }

  @Test func listeningThatBeginsInsideWhatWasToldGoesOnFromThere() {
    var listening = Listening()
    listening.learn(100, 160)
    listening.begin(at: 120)
    #expect(listening.since == 100 && listening.covers(100, 500))
    var after = Listening()
    after.learn(100, 160)
    after.begin(at: 160)
    #expect(after.since == 160, "what only touches it may miss something between")
  }
}
