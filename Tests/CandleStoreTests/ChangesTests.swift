import CandleCore
import CandleStore
import Foundation
import Testing

@Suite struct ChangesTests {
  @Test func eachCandleComesOnceInItsLatestStateInVersionOrder() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    defer { store.close() }
    store.submit(batch((0..<100).map { row(0, $0, version: Int64($0) + 1) }, symbols: [(0, "X"), (1, "Y")]))
    store.submit(batch([row(0, 10, version: 101, revision: 1), row(1, 0, version: 102)]))
    store.drain()
    let pages = try store.pages(limit: 7)
    #expect(pages.map(\.version) == Array(1...10) + Array(12...102))
    #expect(pages.filter { $0.openTime == start + 10 * minute }.map(\.revision) == [1])
    #expect(pages.last?.symbol == "Y")
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func withCorrectionsBetweenThePagesTheCopyBecomesTheDatabase(seed: UInt64) throws {
    let scratch = try Scratch()
    var random = SeededRandom(state: seed)
    let store = try CandleStore.open(path: scratch.database)
    defer { store.close() }
    var version: Int64 = 0
    var symbols: [(id: Int32, name: String)] = (0..<5).map { ($0, "S\($0)") }
    func write(_ count: Int) {
      var rows: [CandleRow] = []
      var gaps: [Gap] = []
      for _ in 0..<count {
        version += 1
        if Int.random(in: 0..<10, using: &random) == 0 {
          let from = Int64.random(in: 0..<20, using: &random)
          gaps.append(Gap(symbol: 1, from: from, to: nil, reason: .silence, version: version))
        } else {
          let symbol = Int32.random(in: 0..<5, using: &random)
          rows.append(row(symbol, Int.random(in: 0..<60, using: &random), version: version))
        }
      }
      var next = batch(rows, symbols: symbols)
      next.gaps = gaps
      next.lastVersion = version
      symbols = []
      store.submit(next)
      store.drain()
    }
    write(200)
    var copy: [String: Int64] = [:]
    var seen: Set<String> = []
    var after: Int64 = 0
    let upTo = version
    while true {
      let from = after
      let page = try store.readNow { reader throws(StoreError) in
        try reader.changes(after: from, upTo: upTo, limit: Int(seed) * 3)
      }
      for change in page.changes {
        #expect(change.version > after && change.version <= upTo)
        after = change.version
        let key = change.key
        #expect(seen.insert(key).inserted, "\(key) came twice below the version of the subscription")
        copy[key] = change.version
      }
      after = page.through
      if page.isLast { break }
      write(20)
    }
    #expect(after == upTo)
    // What changed meanwhile is the live stream's.
    let live = try store.readNow { reader throws(StoreError) in try reader.changes(after: upTo, limit: 100_000) }
    for change in live.changes { copy[change.key] = change.version }
    let all = try store.readNow { reader throws(StoreError) in try reader.changes(after: 0, limit: 100_000) }
    #expect(copy == Dictionary(uniqueKeysWithValues: all.changes.map { ($0.key, $0.version) }))
  }

  @Test func aSelectionTakesItsSeriesAndTheGapsOfItsSymbols() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    defer { store.close() }
    var rows: [CandleRow] = []
    for index in 0..<300 {
      rows.append(
        row(Int32(index % 3), index, version: Int64(index) * 2 + 1, timeframe: index.isMultiple(of: 2) ? .M1 : .M5))
    }
    var first = batch(rows, symbols: [(0, "A"), (1, "B"), (2, "C")])
    first.gaps = [
      Gap(symbol: 0, from: 1, to: nil, reason: .restart, version: 2),
      Gap(symbol: 1, from: 1, to: 2, reason: .restart, version: 600),
    ]
    first.lastVersion = 600
    store.submit(first)
    store.drain()
    let selection = SeriesSelection(series: { $0 == "B" && $1 == .M5 }, gaps: { $0 == "B" })
    var after: Int64 = 0
    var changes: [StoredChange] = []
    var empty = 0
    while true {
      let from = after
      let page = try store.readNow { reader throws(StoreError) in
        try reader.changes(after: from, limit: 4, selection: selection, scanLimit: 5)
      }
      if page.changes.isEmpty { empty += 1 }
      changes += page.changes
      after = page.through
      if page.isLast { break }
    }
    #expect(empty > 0)
    #expect(after == 600)
    var wanted: [Int64] = []
    for index in 0..<300 where index % 3 == 1 && index % 2 == 1 { wanted.append(Int64(index) * 2 + 1) }
    #expect(changes.map(\.version) == wanted + [600])
  }

  @Test func manyGapsInARowHoldBackTheCandlesBehindThem() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    defer { store.close() }
    var first = batch([row(0, 0, version: 1), row(0, 1, version: 12), row(0, 2, version: 13)], symbols: [(0, "X")])
    first.gaps = (2..<12).map { Gap(symbol: 0, from: Int64($0), to: nil, reason: .restart, version: Int64($0)) }
    store.submit(first)
    store.drain()
    var after: Int64 = 0
    var versions: [Int64] = []
    while true {
      let from = after
      let page = try store.readNow { reader throws(StoreError) in try reader.changes(after: from, limit: 2) }
      versions += page.changes.map(\.version)
      after = page.through
      if page.isLast { break }
    }
    #expect(versions == Array(1...13))
  }

  @Test func aVersionThatIsNotStoredIsReachedToo() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    defer { store.close() }
    var first = batch([row(0, 0, version: 1)], symbols: [(0, "X")])
    first.lastVersion = 10
    store.submit(first)
    store.drain()
    let page = try store.readNow { reader throws(StoreError) in try reader.changes(after: 0, limit: 10) }
    #expect(page.through == 10 && page.isLast && page.changes.count == 1)
    let next = try store.readNow { reader throws(StoreError) in try reader.changes(after: 10, limit: 10) }
    #expect(next.through == 10 && next.isLast && next.changes.isEmpty)
  }
}

extension StoredChange {
  var key: String {
    switch self {
    case .candle(let row): "\(row.symbol) \(row.timeframe.name) \(row.candle.openTime)"
    case .gap(let gap): "\(gap.symbol) gap \(gap.from)"
    }
  }
}

extension CandleStore {
  /// Waits until all that was submitted is committed.
  func drain() {
    while pendingBatches > 0 { usleep(200) }
  }

  func pages(limit: Int) throws -> [(symbol: String, openTime: Milliseconds, version: Int64, revision: Int32)] {
    var after: Int64 = 0
    var all: [(String, Milliseconds, Int64, Int32)] = []
    while true {
      let from = after
      let page = try readNow { reader throws(StoreError) in try reader.changes(after: from, limit: limit) }
      for case .candle(let row) in page.changes {
        all.append((row.symbol, row.candle.openTime, row.version, row.candle.settlement!.revision))
      }
      after = page.through
      if page.isLast { return all }
    }
  }
}
