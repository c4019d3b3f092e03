import CandleCore
import Synchronization

/// The thread behind a bulk load. It and its owner take turns with the connection: the thread has it while it is busy.
final class BulkWriter: @unchecked Sendable {
  private struct Exchange {
    var work: [CandleRow] = []
    var names: [(id: Int32, name: String)] = []
    var busy = false
    var failure: StoreError?
    var stopping = false
    var ended = false
  }

  let rows: RowWriter
  let committed = Atomic<Int>(0)
  private let options: StoreOptions
  private let exchange = Monitor(Exchange())

  init(_ connection: Connection, _ options: StoreOptions) {
    rows = RowWriter(connection)
    self.options = options
  }

  func start() throws(StoreError) {
    try StoreThread.start("candle-bulk") { self.run() }
  }

  /// Gives the thread rows to write; only after `settle`.
  /// - Returns: an empty array with the room of the last one.
  func write(_ rows: consuming [CandleRow], _ names: [(id: Int32, name: String)]) -> [CandleRow] {
    let handed = rows
    return exchange.update { exchange in
      var spare = exchange.work
      spare.removeAll(keepingCapacity: true)
      exchange.work = handed
      exchange.names = names
      exchange.busy = true
      return spare
    }
  }

  /// Waits until the thread is idle.
  /// - Returns: what failed, and the rows that are not in the database because of it.
  func settle() -> (StoreError, [CandleRow])? {
    exchange.wait { exchange -> (StoreError, [CandleRow])?? in
      if exchange.busy { return nil }
      guard let failure = exchange.failure else { return .some(nil) }
      exchange.failure = nil
      let rows = exchange.work
      exchange.work = []
      return (failure, rows)
    } ?? nil
  }

  /// Ends the thread and the connection.
  func stop() {
    exchange.update { $0.stopping = true }
    _ = exchange.wait { $0.ended ? true : nil }
  }

  private func run() {
    while true {
      let work: ([CandleRow], [(id: Int32, name: String)])?? = exchange.wait { exchange in
        if exchange.busy { return .some((exchange.work, exchange.names)) }
        return exchange.stopping ? .some(nil) : nil
      }
      guard let work, let (candles, names) = work else { break }
      for symbol in names { rows.name(symbol.id, of: symbol.name) }
      var failure: StoreError?
      do { try write(candles) } catch { failure = error }
      exchange.update { exchange in
        exchange.failure = failure
        exchange.busy = false
      }
    }
    rows.close()
    exchange.update { $0.ended = true }
  }

  private func write(_ candles: [CandleRow]) throws(StoreError) {
    if candles.isEmpty { return }
    var newest: Int64 = 0
    for row in candles { newest = max(newest, row.candle.settlement?.version ?? 0) }
    let order = Self.sorted(candles)
    try transaction(version: newest) { rows throws(StoreError) in
      for place in order { try rows.write(candles[Int(place.index)]) }
    }
    committed.add(candles.count, ordering: .relaxed)
    if rows.connection.logPages >= options.checkpointPages { _ = try? rows.connection.checkpoint() }
  }

  /// - Parameter version: the largest version given out; 0 leaves it.
  func transaction(version: Int64, _ body: (RowWriter) throws(StoreError) -> Void) throws(StoreError) {
    do {
      try rows.connection.execute("BEGIN IMMEDIATE", for: .write)
      try body(rows)
      try rows.raise("last_version", to: version)
      if let beforeCommit = options.beforeCommit { try beforeCommit() }
      try rows.connection.execute("COMMIT", for: .commit)
      rows.transactionEnded(committed: true)
    } catch {
      rows.connection.rollBack()
      rows.transactionEnded(committed: false)
      throw error
    }
  }

  /// Sorted instead of the rows, which are ten times as large.
  private struct Place {
    var series: Int64
    var openTime: Milliseconds
    var index: Int32
  }

  /// In the order of the key neighbouring rows share a page; the open time alone would visit one page a series.
  private static func sorted(_ candles: [CandleRow]) -> [Place] {
    var order: [Place] = []
    order.reserveCapacity(candles.count)
    for index in candles.indices {
      let series = candles[index].series
      order.append(
        Place(
          series: Int64(series.symbol) << 8 | Int64(series.timeframe.rawValue),
          openTime: candles[index].candle.openTime, index: Int32(index)))
    }
    // Of two states of one candle the later one must be written last.
    order.sort { a, b in
      if a.series != b.series { return a.series < b.series }
      return a.openTime != b.openTime ? a.openTime < b.openTime : a.index < b.index
    }
    return order
  }
}
