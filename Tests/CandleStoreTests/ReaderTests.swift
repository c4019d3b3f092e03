import CandleCore
import CandleStore
import Foundation
import Synchronization
import Testing

@Suite struct ReaderTests {
  private func filled(_ scratch: Scratch, _ options: StoreOptions = StoreOptions()) throws -> CandleStore {
    let store = try CandleStore.open(path: scratch.database, options: options)
    store.submit(batch((0..<1_000).map { row(0, $0, version: Int64($0) + 1) }, symbols: [(0, "X"), (1, "Y")]))
    store.drain()
    return store
  }

  @Test func rangesAreInclusiveExclusiveAndOldestFirst() throws {
    let store = try filled(Scratch())
    defer { store.close() }
    func times(_ body: @escaping @Sendable (StoreReader) throws(StoreError) -> [Candle]) throws -> [Int64] {
      try store.readNow(body).map { ($0.openTime - start) / minute }
    }
    #expect(try times { r throws(StoreError) in try r.candles(symbol: "X", timeframe: .M1, limit: 3) } == [0, 1, 2])
    #expect(
      try times { r throws(StoreError) in try r.candles(symbol: "X", timeframe: .M1, limit: 3, newest: true) }
        == [997, 998, 999])
    #expect(
      try times { r throws(StoreError) in
        try r.candles(symbol: "X", timeframe: .M1, from: start + 5 * minute, to: start + 8 * minute, limit: 99)
      } == [5, 6, 7])
    #expect(
      try times { r throws(StoreError) in
        try r.candles(
          symbol: "X", timeframe: .M1, from: start + 5 * minute, to: start + 8 * minute, limit: 2, newest: true)
      } == [6, 7])
    #expect(
      try times { r throws(StoreError) in
        try r.candlesBefore(symbol: "X", timeframe: .M1, before: start + 2 * minute, count: 5)
      } == [0, 1])
    #expect(try times { r throws(StoreError) in try r.candles(symbol: "Y", timeframe: .M1, limit: 3) } == [])
    #expect(try times { r throws(StoreError) in try r.candles(symbol: "X", timeframe: .M5, limit: 3) } == [])
    let (last, exists, symbols, series) = try store.readNow { r throws(StoreError) in
      (
        try r.lastCandle(symbol: "X", timeframe: .M1), try r.exists(symbol: "X", timeframe: .M5), try r.symbols(),
        try r.series()
      )
    }
    #expect(last?.openTime == start + 999 * minute)
    #expect(!exists)
    #expect(symbols == ["X"])
    #expect(series.map(\.oldest) == [start] && series.map(\.newest) == [start + 999 * minute])
  }

  @Test func aReaderSeesNoUncommittedRowsAndIsNotHeldUpByTheWriter() throws {
    let scratch = try Scratch()
    let holding = Atomic<Bool>(false)
    let release = Atomic<Bool>(true)
    var options = StoreOptions()
    options.beforeCommit = { () throws(StoreError) in
      while !release.load(ordering: .acquiring) {
        holding.store(true, ordering: .releasing)
        usleep(1_000)
      }
    }
    let store = try filled(scratch, options)
    defer { store.close() }
    release.store(false, ordering: .releasing)
    store.submit(batch([row(1, 0, version: 1_001), row(0, 5, version: 1_002, revision: 1)]))
    while !holding.load(ordering: .acquiring) { usleep(1_000) }
    // The rows are written, the commit has not come.
    let began = ContinuousClock.now
    for _ in 0..<20 {
      let (version, other, revision) = try store.readNow { r throws(StoreError) in
        (
          try r.lastVersion(), try r.exists(symbol: "Y", timeframe: .M1),
          try r.candle(symbol: "X", timeframe: .M1, openTime: start + 5 * minute)?.settlement?.revision
        )
      }
      #expect(version == 1_000 && !other && revision == 0)
    }
    #expect(ContinuousClock.now - began < .seconds(1))
    #expect(store.pendingBatches == 1)
    release.store(true, ordering: .releasing)
    store.drain()
    #expect(try store.readNow { r throws(StoreError) in try r.lastVersion() } == 1_002)
  }

  @Test func oneReadSeesOneState() throws {
    let store = try filled(Scratch())
    defer { store.close() }
    let (before, after) = try store.readNow { reader throws(StoreError) in
      let before = try reader.count(symbol: "X", timeframe: .M1)
      store.submit(batch([row(0, 1_000, version: 1_001)]))
      store.drain()
      return (before, try reader.count(symbol: "X", timeframe: .M1))
    }
    #expect(before == 1_000 && after == 1_000)
    #expect(try store.readNow { r throws(StoreError) in try r.count(symbol: "X", timeframe: .M1) } == 1_001)
  }

  @Test func theQueueOfReadsIsBoundedAndRefusalsAreCounted() throws {
    let scratch = try Scratch()
    var options = StoreOptions()
    options.readThreads = 1
    options.maximumQueuedReads = 3
    let store = try filled(scratch, options)
    let go = Atomic<Bool>(false)
    let started = Atomic<Bool>(false)
    let results = Collected<String>()
    store.read({ _ throws(StoreError) in
      started.store(true, ordering: .releasing)
      while !go.load(ordering: .acquiring) { usleep(1_000) }
      return 0
    }) { _ in results.add("slow") }
    while !started.load(ordering: .acquiring) { usleep(1_000) }
    for index in 0..<5 {
      store.read({ r throws(StoreError) in try r.lastVersion() }) { result in
        switch result {
        case .success: results.add("\(index)")
        case .failure(let error): results.add(error.short)
        }
      }
    }
    #expect(results.all == ["overloaded", "overloaded"])
    #expect(store.refusedReads == 2 && store.waitingReads == 3)
    go.store(true, ordering: .releasing)
    #expect(results.wait { $0.count == 6 })
    #expect(results.all.suffix(4) == ["slow", "0", "1", "2"])
    store.close()
    store.read({ r throws(StoreError) in try r.lastVersion() }) { results.add((try? $0.get()) == nil ? "closed" : "?") }
    #expect(results.all.last == "closed")
  }

  @Test func aBackupRunsWhileTheWriterWrites() throws {
    let scratch = try Scratch()
    let store = try filled(scratch)
    let stop = Atomic<Bool>(false)
    let thread = Thread {
      var version: Int64 = 1_000
      while !stop.load(ordering: .relaxed) {
        version += 1
        store.submit(batch([row(0, Int(version), version: version)]))
        usleep(200)
      }
    }
    thread.start()
    let copy = scratch.directory.appendingPathComponent("copy.db").path
    let backup = scratch.directory.appendingPathComponent("backup.db").path
    #expect(try shell(scratch.database, "VACUUM INTO '\(copy)'") == "")
    #expect(try shell(scratch.database, ".backup '\(backup)'") == "")
    stop.store(true, ordering: .relaxed)
    usleep(20_000)
    #expect(store.close() == 0)
    for path in [copy, backup] {
      let (damages, count, version) = try CandleArchive.open(path: path).read { r throws(StoreError) in
        (try r.damages(), try r.count(symbol: "X", timeframe: .M1), try r.lastVersion())
      }
      #expect(damages == [])
      #expect(count >= 1_000 && Int64(count) == version)
    }
  }

  @Test func doubledVersionsAreFound() throws {
    let scratch = try Scratch()
    let store = try filled(scratch)
    #expect(try store.readNow { r throws(StoreError) in try r.doubledVersions(limit: 10) } == [])
    store.submit(batch([row(1, 0, version: 17)]))
    store.drain()
    #expect(try store.readNow { r throws(StoreError) in try r.doubledVersions(limit: 10) } == [17])
    store.close()
  }
}
