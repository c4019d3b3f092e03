import CandleCore
import Synchronization

/// The thread behind a bulk load. It and its owner take turns with the connection: the thread has it while it is busy.
final class BulkWriter: @unchecked Sendable {
  private struct Exchange {
    var work = BulkBatch()
    var busy = false
    var failure: StoreError?
    var stopping = false
    var ended = false
  }

  let rows: RowWriter
  let committed = Atomic<Int>(0)
  private let options: StoreOptions
  private let inOneTransaction: Bool
  /// What ended the one transaction before its time.
  private var loss: StoreError?
  /// The largest version and the number of rows in the open transaction.
  private var open: (version: Int64, rows: Int) = (0, 0)
  private let exchange = Monitor(Exchange())

  /// - Parameter inOneTransaction: all batches up to a `commit` are one transaction.
  init(_ connection: Connection, _ options: StoreOptions, inOneTransaction: Bool) {
    rows = RowWriter(connection)
    self.options = options
    self.inOneTransaction = inOneTransaction
  }

  func start() throws(StoreError) {
    try StoreThread.start("candle-bulk") { self.run() }
  }

  /// Gives the thread rows to write; only after `settle`.
  /// - Returns: an empty batch with the room of the last one.
  func write(_ batch: consuming BulkBatch) -> BulkBatch {
    let handed = batch
    return exchange.update { exchange in
      var spare = exchange.work
      spare.clear()
      exchange.work = handed
      exchange.busy = true
      return spare
    }
  }

  /// Waits until the thread is idle.
  /// - Returns: what failed, and the rows that are not in the database because of it.
  func settle() -> (StoreError, BulkBatch)? {
    exchange.wait { exchange -> (StoreError, BulkBatch)?? in
      if exchange.busy { return nil }
      guard let failure = exchange.failure else { return .some(nil) }
      exchange.failure = nil
      let batch = exchange.work
      exchange.work = BulkBatch()
      return (failure, batch)
    } ?? nil
  }

  /// Ends the thread and the connection.
  func stop() {
    exchange.update { $0.stopping = true }
    _ = exchange.wait { $0.ended ? true : nil }
  }

  private func run() {
    while true {
      let work: BulkBatch?? = exchange.wait { exchange in
        if exchange.busy { return .some(exchange.work) }
        return exchange.stopping ? .some(nil) : nil
      }
      guard let work, let batch = work else { break }
      for symbol in batch.names { rows.name(symbol.id, of: symbol.name) }
      var failure: StoreError?
      do { try store(batch) } catch { failure = error }
      exchange.update { exchange in
        exchange.failure = failure
        exchange.busy = false
      }
    }
    rows.close()
    exchange.update { $0.ended = true }
  }

  private func store(_ batch: BulkBatch) throws(StoreError) {
    if let loss { throw loss }
    if batch.rows.isEmpty { return }
    let order = batch.sorted
    do {
      try begin()
      try batch.forEach(order) { series, candle, indicators throws(StoreError) in
        try rows.write(series, candle, indicators)
      }
      open = (max(open.version, batch.newestVersion), open.rows + batch.rows.count)
    } catch {
      if inOneTransaction { loss = error }
      abandon()
      throw error
    }
    if inOneTransaction { return }
    try commit()
    if rows.connection.logPages >= options.checkpointPages { _ = try? rows.connection.checkpoint() }
  }

  /// Ends the open transaction, if there is one.
  /// - Throws: `loss` where it had to be given up before; where all is one transaction a failed commit may be tried again.
  func commit() throws(StoreError) {
    if let loss { throw loss }
    guard rows.connection.isInTransaction else { return }
    do {
      try rows.raise("last_version", to: open.version)
      if let beforeCommit = options.beforeCommit { try beforeCommit() }
      try rows.connection.execute("COMMIT", for: .commit)
    } catch {
      if inOneTransaction, rows.connection.isInTransaction { throw error }
      if inOneTransaction { loss = error }
      abandon()
      throw error
    }
    rows.transactionEnded(committed: true)
    committed.add(open.rows, ordering: .relaxed)
    open = (0, 0)
  }

  /// A transaction of its own.
  /// - Parameter version: the largest version given out; 0 leaves it.
  func transaction(version: Int64, _ body: (RowWriter) throws(StoreError) -> Void) throws(StoreError) {
    try commit()
    do {
      try begin()
      try body(rows)
    } catch {
      abandon()
      throw error
    }
    open.version = version
    try commit()
  }

  private func begin() throws(StoreError) {
    if !rows.connection.isInTransaction { try rows.connection.execute("BEGIN IMMEDIATE", for: .write) }
  }

  private func abandon() {
    rows.connection.rollBack()
    rows.transactionEnded(committed: false)
    open = (0, 0)
  }
}
