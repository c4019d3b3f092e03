import CandleCore
import CandleStore
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func whatGoesInComesOutEqual(seed: UInt64) throws {
    let scratch = try Scratch()
    var random = SeededRandom(state: seed)
    let candles = (0..<2_000).map { randomCandle(start + Int64($0) * minute, version: Int64($0) + 1, &random) }
    let store = try CandleStore.open(path: scratch.database)
    store.submit(
      batch(
        candles.map { CandleRow(series: SeriesKey(symbol: 7, timeframe: .M1), candle: $0) }, symbols: [(7, "A/B:c_1")]))
    #expect(store.close() == 0)
    let archive = try CandleArchive.open(path: scratch.database)
    let back = try archive.read { reader throws(StoreError) in
      try reader.candles(symbol: "A/B:c_1", timeframe: .M1, limit: 10_000)
    }
    #expect(back.count == candles.count)
    for (out, put) in zip(back, candles) where out != put { Issue.record("seed \(seed): \(put) became \(out)") }
    #expect(back == candles)
  }

  @Test func extremesOfTheTypesSurvive() throws {
    let scratch = try Scratch()
    let biggest: Fixed = "999999999999999999"
    let smallest: Fixed = "0.000000000000000001"
    var mixed = candle(0, version: 1)
    mixed.content.open = smallest
    mixed.content.high = biggest
    mixed.content.volume = FixedSum(coefficient: .max, scale: 18)
    mixed.content.takerBuyVolume = FixedSum(smallest)
    mixed.content.turnover = FixedSum(coefficient: .min, scale: 36)
    var small = candle(1, version: 2)
    small.content.volume = FixedSum(coefficient: Int128(Int64.max), scale: 0)
    small.content.takerBuyVolume = FixedSum(smallest)
    small.content.turnover = FixedSum(coefficient: Int128(Int64.min), scale: 18)
    let store = try CandleStore.open(path: scratch.database)
    let key = SeriesKey(symbol: 0, timeframe: .W1)
    store.submit(
      batch([CandleRow(series: key, candle: mixed), CandleRow(series: key, candle: small)], symbols: [(0, "X")]))
    store.close()
    let back = try CandleArchive.open(path: scratch.database).read { reader throws(StoreError) in
      try reader.candles(symbol: "X", timeframe: .W1, limit: 9)
    }
    #expect(back == [mixed, small])
  }

  @Test func aCorrectionReplacesTheRow() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    store.submit(batch([row(0, 0, version: 1), row(0, 1, version: 2)], symbols: [(0, "X")]))
    store.submit(batch([row(0, 0, version: 3, revision: 1)]))
    store.close()
    let back = try CandleArchive.open(path: scratch.database).read { reader throws(StoreError) in
      try reader.candles(symbol: "X", timeframe: .M1, limit: 9)
    }
    #expect(back.map { $0.settlement?.version } == [3, 2])
    #expect(back.map { $0.settlement?.revision } == [1, 0])
  }

  @Test func indicatorsAndMarksAreKept() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    var first = batch([row(0, 0, version: 1)], symbols: [(0, "X")])
    first.candles[0].indicators = Array(#"{"ma5":36501.1,"ma10":null}"#.utf8)
    first.marks = [("journal", 17), ("journal", 18)]
    store.submit(first)
    store.close()
    #expect(try shell(scratch.database, "SELECT indicators ->> 'ma5' FROM candles") == "36501.1")
    let (mark, stored) = try CandleArchive.open(path: scratch.database).read { reader throws(StoreError) in
      (try reader.mark("journal"), try reader.storedCandles(symbol: "X", timeframe: .M1, limit: 1))
    }
    #expect(mark == 18)
    #expect(stored.first?.indicators == first.candles[0].indicators)
  }

  @Test func epochAndLastVersionOutliveTheProcess() throws {
    let scratch = try Scratch()
    var last = WriteBatch()
    last.lastVersion = 90
    let first = try CandleStore.open(path: scratch.database)
    first.submit(batch([row(0, 0, version: 5)], symbols: [(0, "X")]))
    first.submit(last)
    first.close()
    let second = try CandleStore.open(path: scratch.database)
    #expect(second.epoch == first.epoch)
    #expect(second.epoch.count == 32)
    #expect(second.lastVersion == 90)
    // The next process may number its symbols otherwise.
    second.submit(batch([row(4, 1, version: 91)], symbols: [(4, "X")]))
    second.close()
    #expect(try shell(scratch.database, "SELECT count(*), count(DISTINCT series) FROM candle") == "2|1")
  }
}
