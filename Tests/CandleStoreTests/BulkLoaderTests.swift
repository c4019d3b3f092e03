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

  @Test func anEmptyDatabaseGetsAllOrNothing() throws {
    let scratch = try Scratch()
    let loader = try BulkLoader.open(path: scratch.database, rowsPerBatch: 8)
    loader.name(0, "X")
    for index in 0..<100 { try loader.append(row(0, index, version: Int64(index) + 1)) }
    loader.close()
    #expect(try shell(scratch.database, "SELECT count(*) FROM candles") == "0")
    #expect(try shell(scratch.database, "SELECT count(*) FROM series") == "0")
  }

  @Test func aDatabaseWithCandlesGetsThemBatchByBatch() throws {
    let scratch = try Scratch()
    let first = try BulkLoader.open(path: scratch.database)
    first.name(0, "X")
    try first.append(row(0, 0, version: 1))
    try first.finish()
    first.close()
    #expect(try shell(scratch.database, "PRAGMA journal_mode") == "wal")
    let loader = try BulkLoader.open(path: scratch.database, rowsPerBatch: 8)
    loader.name(0, "X")
    for index in 1..<100 { try loader.append(row(0, index, version: Int64(index) + 1)) }
    loader.close()
    // Whole batches but for the last ones, which were not handed over.
    let count = Int(try shell(scratch.database, "SELECT count(*) FROM candles"))!
    #expect(count > 80 && count < 100 && count % 8 == 1)
  }

  @Test func whatIsLostFromTheOneTransactionIsNotForgotten() throws {
    let scratch = try Scratch()
    var options = StoreOptions()
    let path = scratch.database
    options.beforeCommit = { () throws(StoreError) in
      throw StoreError(operation: .commit, subject: path, cause: .injected("always"))
    }
    let loader = try BulkLoader.open(path: scratch.database, options: options, rowsPerBatch: 4)
    loader.name(0, "X")
    for index in 0..<10 { try loader.append(row(0, index, version: Int64(index) + 1)) }
    #expect(throws: StoreError.self) { try loader.flush() }
    #expect(throws: StoreError.self) { try loader.finish() }
    loader.close()
    #expect(try shell(scratch.database, "SELECT count(*) FROM candles") == "0")
  }

  @Test func indicatorsStayWithTheirCandles() throws {
    let scratch = try Scratch()
    let loader = try BulkLoader.open(path: scratch.database, rowsPerBatch: 7)
    loader.name(0, "X")
    for index in (0..<50).reversed() {
      let text = Array("{\"n\":\(index)}".utf8)
      let row = row(0, index, version: 100 - Int64(index))
      try text.withUnsafeBytes { bytes in
        try loader.append(row.series, row.candle, indicators: index % 3 == 0 ? nil : bytes)
      }
    }
    try loader.finish()
    loader.close()
    let wrong = try shell(
      scratch.database,
      """
      SELECT count(*) FROM (SELECT indicators ->> 'n' AS n, row_number() OVER (ORDER BY open_time) - 1 AS at FROM candles)
      WHERE n IS NOT CASE WHEN at % 3 = 0 THEN NULL ELSE at END
      """)
    #expect(wrong == "0")
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
