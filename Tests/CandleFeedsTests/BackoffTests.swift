import CandleFeeds
import Testing

@Suite struct BackoffTests {
  @Test func doublesUpToACapWithJitter() {
    var random = SystemRandomNumberGenerator()
    var backoff = Backoff()
    for attempt in 0..<12 {
      let nominal = min(Backoff.cap, Backoff.first << attempt)
      let delay = backoff.next(using: &random)
      #expect(delay >= nominal / 2 && delay <= nominal)
    }
    backoff.connectionEnded(after: Backoff.stable - 1)
    #expect(backoff.attempts == 12)
    backoff.connectionEnded(after: Backoff.stable)
    #expect(backoff.attempts == 0)
  }
}
