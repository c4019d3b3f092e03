import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct SeamQueueTests {
  private func time(_ text: String) -> Milliseconds { DayTime.milliseconds(text) }

  private func gap(_ from: String, _ to: String?, _ reason: GapReason = .disconnect) -> Gap {
    Gap(symbol: 0, from: time(from), to: to.map(time), reason: reason, version: 1)
  }

  private func text(_ range: Range<Milliseconds>?) -> String? {
    range.map { "\(DayTime.text($0.lowerBound))–\(DayTime.text($0.upperBound))" }
  }

  private func minutes(_ from: String, _ to: String) -> [Milliseconds] {
    Array(stride(from: time(from), to: time(to), by: 60_000))
  }

  @Test func aGapIsAskedForInWholeCandlesOnceTheyHaveEnded() {
    var queue = SeamQueue(timeframe: .M1, grace: 1_000)
    queue.add(gap("10:00:30", "10:03:10"))
    #expect(queue.due == time("10:01:01"))
    #expect(text(queue.next(now: time("10:01:00"), limit: 10)) == nil)
    #expect(text(queue.next(now: time("10:02:30"), limit: 10)) == "10:00–10:02")
    #expect(queue.due == nil, "one request at a time")
    #expect(queue.answered(known: minutes("10:00", "10:02"), now: time("10:02:31")).isEmpty)
    #expect(queue.learned.ranges == [time("10:00")..<time("10:02")])
    #expect(text(queue.next(now: time("10:04:01"), limit: 10)) == "10:02–10:04")
    let filled = queue.answered(known: minutes("10:02", "10:04"), now: time("10:04:02"))
    #expect(filled == [gap("10:00:30", "10:03:10")] && queue.isEmpty)
  }

  @Test func chunksAreBounded() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(gap("10:00", "12:00"))
    #expect(queue.candles == 120)
    #expect(text(queue.next(now: time("14:00"), limit: 50)) == "10:00–10:50")
    _ = queue.answered(known: minutes("10:00", "10:50"), now: time("14:00"))
    #expect(text(queue.next(now: time("14:00"), limit: 50)) == "10:50–11:40")
  }

  @Test func aGapWithoutLengthStillCutsItsCandle() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(gap("10:00:30", "10:00:30"))
    #expect(text(queue.next(now: time("11:00"), limit: 50)) == "10:00–10:01")
  }

  @Test func missedTradesLieAtBothEnds() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(gap("10:00:30", "10:01", .missedTrades))
    #expect(text(queue.next(now: time("11:00"), limit: 50)) == "10:00–10:02")
  }

  @Test func neighboursThatWereNeverAskedForAreOneRequest() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    for minute in minutes("10:00", "12:00").shuffled() { queue.add(openTime: minute) }
    #expect(queue.candles == 120)
    #expect(text(queue.next(now: time("14:00"), limit: 500)) == "10:00–12:00")
  }

  @Test func ofTooManyGapsTheOldestAreNotWatchedThoughTheirCandlesAreAskedFor() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    let begin = time("00:00")
    let count = SeamQueue.maximumGaps + 10
    let gaps = (0..<count).map { number in
      let from = begin + Int64(number) * 60_000
      return Gap(symbol: 0, from: from, to: from + 1_000, reason: .disconnect, version: 1)
    }
    for gap in gaps { queue.add(gap) }
    #expect(queue.gaps == SeamQueue.maximumGaps && queue.candles == Int64(count))
    let end = begin + Int64(count) * 60_000
    #expect(queue.next(now: end, limit: .max / 60_000 / 60_000) == begin..<end)
    let known = (0..<count).map { begin + Int64($0) * 60_000 }
    #expect(queue.answered(known: known, now: end).map(\.from) == gaps.dropFirst(10).map(\.from))
    // Another queue must not say that a forgotten one is filled.
    #expect(queue.holds(gaps[9]) && !queue.holds(gaps[10]))
  }

  @Test func anOpenGapIsNotAskedFor() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(gap("10:00:30", nil))
    #expect(queue.isEmpty)
  }

  @Test func whatASourceDoesNotHaveIsAskedForThreeTimesInAll() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(gap("10:00", "10:03"))
    var now = time("11:00")
    var asked: [String?] = []
    for _ in 0..<3 {
      asked.append(text(queue.next(now: now, limit: 50)))
      #expect(queue.answered(known: [time("10:00"), time("10:02")].filter { _ in asked.count == 1 }, now: now).isEmpty)
      #expect(queue.next(now: now, limit: 50) == nil, "not at once")
      now = max(now, queue.due ?? now)
    }
    #expect(asked == ["10:00–10:03", "10:01–10:02", "10:01–10:02"])
    #expect(queue.isEmpty && queue.holds(gap("10:00", "10:03")))
    queue.add(openTime: time("10:01"))
    queue.add(gap("10:00", "10:03"))
    #expect(queue.next(now: now + 1_000_000, limit: 50).map { $0.contains(time("10:01")) } != true)
  }

  @Test func aRequestThatFailedIsNoAttempt() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(openTime: time("10:00"))
    for _ in 0..<20 {
      #expect(text(queue.next(now: time("11:00"), limit: 50)) == "10:00–10:01")
      queue.failed(now: time("11:00"), pause: 0)
    }
    queue.failed(now: time("11:00"), pause: 5_000)
    _ = queue.next(now: time("11:00"), limit: 50)
    queue.failed(now: time("11:00"), pause: 5_000)
    #expect(queue.due == time("11:00:05"))
  }

  @Test func theSameCandleIsWantedOnce() {
    var queue = SeamQueue(timeframe: .M1, grace: 0)
    queue.add(gap("10:00", "10:05"))
    queue.add(openTime: time("10:02"))
    #expect(queue.candles == 5)
    _ = queue.next(now: time("11:00"), limit: 50)
    queue.add(openTime: time("10:03"))
    #expect(queue.candles == 5)
  }
}
