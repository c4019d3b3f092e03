import CandleCore
import CandleStore
import Testing

@Suite struct BulkLoaderTests {
  @Test func loadsInAnyOrderAcrossTransactions() throws {
    let scratch = try Scratch()
    var random = SeededRandom(state: 9)
    let loader = try BulkLoader.open(path: scratch.database, rowsPerBatch: 64)
    loader.name(0, "X")
    loader.name(1, "Y")
    let rows = (0..<1_000).map { row(Int32($0 % 2), $0, version: Int64($0) + 1) }.shuffled(using: &random)
    for row in rows { try loader.append(row) }
    try loader.finish()
    #expect(loader.committed == 1_000)
    let (x, y, version) = try CandleArchive.open(path: scratch.database).read { r throws(StoreError) in
      (
        try r.candles(symbol: "X", timeframe: .M1, limit: 9_999), try r.count(symbol: "Y", timeframe: .M1),
        try r.lastVersion()
      )
    }
    #expect(x == stride(from: 0, to: 1_000, by: 2).map { candle($0, version: Int64($0) + 1) })
    #expect(y == 500 && version == 1_000)
  }

  @Test func removedCandlesAreGoneAndSayingSo() throws {
    let scratch = try Scratch()
    let loader = try BulkLoader.open(path: scratch.database)
    loader.name(0, "X")
    for index in 0..<10 { try loader.append(row(0, index, version: Int64(index) + 1)) }
    try loader.flush()
    #expect(try loader.exists(symbol: "X", timeframe: .M1))
    #expect(try !loader.exists(symbol: "X", timeframe: .M5))
    try loader.removeCandles(symbol: "X", timeframe: .M1)
    try loader.append(row(0, 3, version: 11))
    try loader.finish()
    let (count, dropped) = try CandleArchive.open(path: scratch.database).read { r throws(StoreError) in
      (try r.count(symbol: "X", timeframe: .M1), try r.droppedVersion())
    }
    #expect(count == 1 && dropped == 10)
  }

  @Test func aFailedCommitKeepsTheRows() throws {
    let scratch = try Scratch()
    let fails = Collected<Int>()
    var options = StoreOptions()
    let path = scratch.database
    options.beforeCommit = { () throws(StoreError) in
      fails.add(1)
      if fails.all.count == 1 { throw StoreError(operation: .commit, subject: path, cause: .injected("once")) }
    }
    let loader = try BulkLoader.open(path: scratch.database, options: options)
    loader.name(0, "X")
    for index in 0..<10 { try loader.append(row(0, index, version: Int64(index) + 1)) }
    #expect(throws: StoreError.self) { try loader.flush() }
    try loader.finish()
    #expect(try shell(scratch.database, "SELECT count(*) FROM candles") == "10")
  }

  @Test func theLaterOfTwoStatesStays() throws {
    let scratch = try Scratch()
    let loader = try BulkLoader.open(path: scratch.database)
    loader.name(0, "X")
    for version in 1...40 {
      try loader.append(row(0, version % 3, version: Int64(version), revision: Int32(version / 3)))
    }
    try loader.finish()
    loader.close()
    #expect(
      try shell(scratch.database, "SELECT group_concat(version) FROM (SELECT version FROM candles ORDER BY open_time)")
        == "39,40,38")
  }

  @Test func aLoadThatWasCutOffIsRepairedByTheNextStart() throws {
    let scratch = try Scratch()
    let loader = try BulkLoader.open(path: scratch.database)
    loader.name(0, "X")
    for index in 0..<10 { try loader.append(row(0, index, version: Int64(index) + 1)) }
    try loader.flush()
    loader.close()
    #expect(try shell(scratch.database, "SELECT count(*) FROM sqlite_schema WHERE name = 'candle_version'") == "0")
    let store = try CandleStore.open(path: scratch.database)
    #expect(store.lastVersion == 10)
    let page = try store.readNow { r throws(StoreError) in try r.changes(after: 4, limit: 99) }
    #expect(page.changes.map(\.version) == Array(5...10))
    store.close()
  }
}

extension BulkLoader {
  func append(_ row: CandleRow) throws(StoreError) { try append(row.series, row.candle) }
}
