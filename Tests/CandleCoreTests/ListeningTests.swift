import CandleCore
import Testing

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
}
