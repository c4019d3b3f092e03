import CandleCore
import CandleFeeds
import CandleTestSupport
import Testing

@Suite struct HistoryChunksTests {
  @Test func aRangeIsCutOldestFirst() {
    let chunks = HistoryChunks(0..<300_000, timeframe: .M1, limit: 2)
    #expect(chunks.count == 3)
    #expect(chunks.candles == 5)
    #expect(Array(chunks) == [0..<120_000, 120_000..<240_000, 240_000..<300_000])
  }

  @Test func rangesNeedNotBeginOnABoundary() {
    #expect(Array(HistoryChunks(1..<120_001, timeframe: .M1, limit: 1)) == [60_000..<120_000, 120_000..<120_001])
    #expect(Array(HistoryChunks(1..<60_000, timeframe: .M1, limit: 1)).isEmpty)
    #expect(Array(HistoryChunks(5..<5, timeframe: .M1, limit: 1)).isEmpty)
    #expect(Array(HistoryChunks(0..<345_600_001, timeframe: .W1, limit: 9)) == [345_600_000..<345_600_001])
  }

  @Test func theFormatSaysHowMany() {
    let asked: Range<Milliseconds> = 0..<60_000 * 1_000
    #expect(HistoryChunks(asked, timeframe: .M1, format: .zxkline).count == 2)
    #expect(HistoryChunks(asked, timeframe: .M1, format: .candled).count == 2)
    #expect(HistoryChunks(asked, timeframe: .M1, format: .binance).count == 1)
  }

  @Test func everyBoundaryIsInExactlyOneChunk() {
    var draw = SeededGenerator(seed: 11)
    for _ in 0..<500 {
      let timeframe = draw.pick(Timeframe.allCases)
      let from = draw.int64(0...2_000_000_000_000)
      let to = from + draw.int64(0...timeframe.interval * 50)
      let limit = draw.int(1...9)
      var boundaries: [Milliseconds] = []
      var at = timeframe.openTime(of: from)
      while at < to {
        if at >= from { boundaries.append(at) }
        at += timeframe.interval
      }
      let chunks = HistoryChunks(from..<to, timeframe: timeframe, limit: limit)
      let held = Array(chunks).map { chunk in boundaries.filter { chunk.contains($0) } }
      #expect(held.flatMap { $0 } == boundaries)
      #expect(held.allSatisfy { (1...limit).contains($0.count) })
      #expect(chunks.count == held.count && chunks.candles == boundaries.count)
    }
  }

  @Test func noRangeIsTooLarge() {
    var chunks = HistoryChunks(.min ..< .max, timeframe: .W1, limit: .max)
    #expect(chunks.next()?.lowerBound == 345_600_000)
    #expect(HistoryChunks(.min ..< .max, timeframe: .S1, limit: .min).candles == 9_223_372_037)
    #expect(HistoryChunks(.min ..< -5, timeframe: .S1, limit: 1).count == 0)
    #expect(HistoryChunks(Milliseconds.max - 1 ..< .max, timeframe: .S1, limit: 1).count == 0)
  }
}
