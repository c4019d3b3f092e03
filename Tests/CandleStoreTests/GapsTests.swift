import CandleCore
import CandleStore
import Testing

@Suite struct GapsTests {
  /// Ten gaps of X beginning at 0, 1000, …, written in turns with those of Y, which begin half a second later.
  private func reading<Value: Sendable>(
    _ body: @Sendable @escaping (StoreReader) throws(StoreError) -> Value
  ) throws -> Value {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    var batch = WriteBatch()
    batch.symbols = [(0, "X"), (1, "Y")]
    for number in 0..<20 {
      let from = Milliseconds(number * 500)
      batch.gaps.append(
        Gap(
          symbol: Int32(number % 2), from: from, to: from + 100, reason: .missedTrades, version: Int64(number + 1)))
    }
    batch.lastVersion = 20
    store.submit(batch)
    store.close()
    return try CandleArchive.open(path: scratch.database).read(body)
  }

  @Test func allGapsOfASymbolComeOldestFirst() throws {
    let gaps = try reading { reader throws(StoreError) in try reader.gaps(symbol: "X") }
    #expect(gaps.map(\.from) == (0..<10).map { $0 * 1_000 })
  }

  @Test func withoutABeginningTheNewestBeforeTheEndAreTaken() throws {
    let (newest, before) = try reading { reader throws(StoreError) in
      (try reader.gaps(symbol: "X", from: nil, limit: 3), try reader.gaps(symbol: "X", from: nil, to: 7_000, limit: 2))
    }
    #expect(newest.map(\.from) == [7_000, 8_000, 9_000])
    #expect(before.map(\.from) == [5_000, 6_000], "the end is exclusive")
  }

  @Test func fromABeginningTheOldestAreTaken() throws {
    let gaps = try reading { reader throws(StoreError) in
      try reader.gaps(symbol: "X", from: 2_000, to: 9_000, limit: 4)
    }
    #expect(gaps.map(\.from) == [2_000, 3_000, 4_000, 5_000], "the beginning is inclusive")
  }

  @Test func thoseThatChangedLastAreOfAllSymbols() throws {
    let gaps = try reading { reader throws(StoreError) in try reader.newestGaps(limit: 3) }
    #expect(gaps.map(\.symbol) == ["X", "Y", "Y"] && gaps.map(\.from) == [9_000, 8_500, 9_500])
  }

  @Test func retentionTakesGapsThatEndedBeforeAMomentInSmallSteps() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    var batch = WriteBatch()
    batch.symbols = [(0, "X"), (1, "Y")]
    for number in 0..<100 {
      let from = Milliseconds(number / 2 * 1_000)
      batch.gaps.append(
        Gap(symbol: Int32(number % 2), from: from, to: from + 100, reason: .missedTrades, version: Int64(number + 1)))
    }
    // One lasts, one ended later than it seems, one ends at the moment.
    batch.gaps.append(Gap(symbol: 0, from: 1, to: nil, reason: .restart, version: 101))
    batch.gaps.append(Gap(symbol: 0, from: 2, to: 40_001, reason: .disconnect, version: 102))
    batch.gaps.append(Gap(symbol: 1, from: 3, to: 40_000, reason: .disconnect, version: 103))
    batch.lastVersion = 103
    store.submit(batch)
    let done = Collected<Int64>()
    store.retainGaps(from: 40_000, rowsPerStep: 7) { done.add((try? $0.get()) ?? -1) }
    #expect(done.wait { $0 == [80] })
    let (left, dropped) = try store.readNow { reader throws(StoreError) in
      (try reader.gaps(symbol: "X"), try reader.droppedVersion())
    }
    #expect(left.map(\.from) == [1, 2] + (40..<50).map { $0 * 1_000 } && dropped == 80)
    store.close()
    #expect(try shell(scratch.database, "SELECT count(*), min(from_time) FROM gaps WHERE symbol = 'Y'") == "11|3")
  }
}
