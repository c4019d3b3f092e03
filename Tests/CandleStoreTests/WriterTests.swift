import CandleCore
import CandleStore
import Foundation
import Synchronization
import Testing

@Suite struct WriterTests {
  @Test func commitsComeInTheOrderOfTheBatches() throws {
    let scratch = try Scratch()
    let commits = Collected<StoreCommit>()
    let store = try CandleStore.open(path: scratch.database, onCommit: { commits.add($0) })
    for index in 0..<200 {
      let number = store.submit(
        batch([row(0, index, version: Int64(index) + 1)], symbols: index == 0 ? [(0, "X")] : []))
      #expect(number == UInt64(index) + 1)
    }
    #expect(store.close() == 0)
    #expect(commits.all.map(\.version) == commits.all.map(\.version).sorted())
    #expect(commits.all.last?.version == 200)
    #expect(commits.all.last?.sequence == 200)
    #expect(commits.all.reduce(0) { $0 + $1.batches } == 200)
    #expect(commits.all.reduce(0) { $0 + $1.candles } == 200)
    #expect(try shell(scratch.database, "SELECT count(*) FROM candles") == "200")
  }

  @Test func aFailingDiskLosesNothingAndKeepsTheOrder() throws {
    let scratch = try Scratch()
    let commits = Collected<StoreCommit>()
    let failures = Collected<StoreFailure>()
    let attempts = Atomic<Int>(0)
    var options = StoreOptions()
    options.retryMilliseconds = (1, 8)
    options.maximumRowsPerTransaction = 3
    let path = scratch.database
    // Two of three commits fail, by turns with causes that keep the connection and such that do not.
    options.beforeCommit = { () throws(StoreError) in
      let attempt = attempts.add(1, ordering: .relaxed).newValue
      if attempt % 3 == 0 { return }
      throw StoreError(
        operation: .commit, subject: path,
        cause: .sqlite(code: attempt % 3 == 1 ? 13 : 10, message: "injected"))
    }
    let store = try CandleStore.open(
      path: scratch.database, options: options, onCommit: { commits.add($0) }, onFailure: { failures.add($0) })
    for index in 0..<60 {
      store.submit(
        batch(
          [row(Int32(index % 7), index, version: Int64(index) + 1)],
          symbols: index < 7 ? [(Int32(index), "S\(index)")] : []))
    }
    #expect(store.close(deadlineMilliseconds: 20_000) == 0)
    #expect(commits.all.map(\.version) == commits.all.map(\.version).sorted())
    #expect(commits.all.last?.version == 60)
    #expect(commits.all.reduce(0) { $0 + $1.batches } == 60)
    #expect(Set(failures.all.map { $0.error.short }) == ["full", "io"])
    #expect(failures.all.map(\.attempt).max() == 2)
    #expect(failures.all.allSatisfy { $0.retryMilliseconds <= 8 && $0.pendingBatches > 0 })
    #expect(
      try shell(scratch.database, "SELECT count(*), count(DISTINCT version), count(DISTINCT symbol) FROM candles")
        == "60|60|7")
  }

  @Test func aLockedDatabaseIsReportedAndWaitedFor() throws {
    let scratch = try Scratch()
    let failures = Collected<StoreFailure>()
    let commits = Collected<StoreCommit>()
    var options = StoreOptions()
    options.busyTimeoutMilliseconds = 20
    options.retryMilliseconds = (5, 20)
    let store = try CandleStore.open(
      path: scratch.database, options: options, onCommit: { commits.add($0) }, onFailure: { failures.add($0) })
    defer { store.close() }
    let holder = try Holder(scratch.database, "BEGIN IMMEDIATE;")
    store.submit(batch([row(0, 0, version: 1)], symbols: [(0, "X")]))
    #expect(failures.wait { $0.count >= 2 })
    #expect(failures.all.first?.error.short == "locked")
    #expect(commits.all.isEmpty)
    // Readers go on.
    #expect(try store.readNow { reader throws(StoreError) in try reader.lastVersion() } == 0)
    holder.end()
    #expect(commits.wait { $0.last?.version == 1 })
  }

  @Test func aFullDiskIsReportedAndNothingIsLostWhenThereIsRoomAgain() throws {
    let scratch = try Scratch()
    let failures = Collected<StoreFailure>()
    var options = StoreOptions()
    options.retryMilliseconds = (5, 20)
    let limited = Atomic<Bool>(true)
    let path = scratch.database
    options.beforeCommit = { () throws(StoreError) in
      if limited.load(ordering: .relaxed) {
        throw StoreError(operation: .commit, subject: path, cause: .sqlite(code: 13, message: "disk is full"))
      }
    }
    let store = try CandleStore.open(path: scratch.database, options: options, onFailure: { failures.add($0) })
    for index in 0..<10 {
      store.submit(batch([row(0, index, version: Int64(index) + 1)], symbols: index == 0 ? [(0, "X")] : []))
    }
    #expect(failures.wait { $0.count >= 3 })
    #expect(store.pendingBatches == 10)
    #expect(try store.readNow { reader throws(StoreError) in try reader.count(symbol: "X", timeframe: .M1) } == 0)
    limited.store(false, ordering: .relaxed)
    #expect(store.close() == 0)
    #expect(try shell(scratch.database, "SELECT count(*) FROM candles") == "10")
  }

  @Test func closeGivesUpAtItsDeadlineAndSaysHowMuchIsUnwritten() throws {
    let scratch = try Scratch()
    var options = StoreOptions()
    options.retryMilliseconds = (5_000, 5_000)
    let path = scratch.database
    options.beforeCommit = { () throws(StoreError) in
      throw StoreError(operation: .commit, subject: path, cause: .injected("never"))
    }
    let store = try CandleStore.open(path: scratch.database, options: options)
    store.submit(batch([row(0, 0, version: 1)], symbols: [(0, "X")]))
    let began = ContinuousClock.now
    #expect(store.close(deadlineMilliseconds: 300) == 1)
    #expect(ContinuousClock.now - began < .seconds(2))
    // The database is free again.
    try CandleStore.open(path: scratch.database).close()
  }

  @Test func closeFlushesCopiesTheLogAndFreesTheDatabase() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    store.submit(batch((0..<5_000).map { row(0, $0, version: Int64($0) + 1) }, symbols: [(0, "X")]))
    #expect(store.close() == 0)
    #expect(try scratch.files() == ["candles.db", "candles.db.lock"])
    #expect(try shell(scratch.database, "SELECT count(*) FROM candles") == "5000")
  }

  @Test func theLogStaysBounded() throws {
    let scratch = try Scratch()
    var options = StoreOptions()
    options.checkpointPages = 50
    options.maximumLogPages = 200
    let store = try CandleStore.open(path: scratch.database, options: options)
    var highest = 0
    for index in 0..<400 {
      store.submit(
        batch(
          (0..<20).map { row(Int32($0), index, version: Int64(index * 20 + $0) + 1) },
          symbols: index == 0 ? (0..<20).map { (Int32($0), "S\($0)") } : []))
      store.drain()
      highest = max(highest, store.logPages)
    }
    #expect(store.close() == 0)
    #expect(highest < 300)
    #expect(store.failedCheckpoints == 0)
  }

  @Test func retentionDeletesInSmallStepsBetweenBatches() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    store.submit(
      batch(
        (0..<2_000).map { row(Int32($0 % 2), $0, version: Int64($0) + 1, timeframe: $0 % 4 < 2 ? .M1 : .M5) },
        symbols: [(0, "X"), (1, "Y")]))
    let done = Collected<Int64>()
    store.retain(.M1, from: start + 1_000 * minute, rowsPerStep: 7) { done.add((try? $0.get()) ?? -1) }
    #expect(done.wait { $0 == [500] })
    let dropped = try store.readNow { reader throws(StoreError) in try reader.droppedVersion() }
    #expect(dropped == 998)
    store.close()
    #expect(
      try shell(scratch.database, "SELECT timeframe, count(*), min(version) FROM candles GROUP BY 1 ORDER BY 1")
        == "M1|500|1001\nM5|1000|3")
  }
}

/// A `sqlite3` shell that holds a transaction until it is told to end.
final class Holder {
  private let process = Process()
  private let input = Pipe()

  init(_ database: String, _ sql: String) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["sqlite3", database]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data("\(sql)\nSELECT 'held';\n".utf8))
    var read = Data()
    while !String(decoding: read, as: UTF8.self).contains("held") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      read += more
    }
  }

  func end() {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
