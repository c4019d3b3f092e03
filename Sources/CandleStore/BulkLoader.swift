import CandleCore
import Synchronization

/// Fills a database as fast as SQLite allows: for tools, not for a daemon.
///
/// Rows are gathered and written in the order of the key on a thread of its own, one transaction every
/// `rowsPerTransaction`, while the caller gathers the next ones. Use it from one thread.
public final class BulkLoader {
  public let path: String
  public let epoch: String
  /// The largest version in the database when it was opened.
  public let lastVersion: Int64
  /// Rows of `append` committed so far; for a progress bar.
  public var committed: Int { writer.committed.load(ordering: .relaxed) }

  private let lock: DatabaseLock
  private let writer: BulkWriter
  private let rowsPerTransaction: Int
  private var names: [(id: Int32, name: String)] = []
  private var waiting: [CandleRow] = []

  private init(_ owned: OwnedDatabase, _ options: StoreOptions, _ rowsPerTransaction: Int) throws(StoreError) {
    path = owned.path
    lock = owned.lock
    epoch = try owned.connection.epoch()
    lastVersion = try owned.connection.lastVersion(for: .open)
    self.rowsPerTransaction = max(1, rowsPerTransaction)
    // In an empty table the index on version is cheaper to build at the end; a start after a crash builds it too.
    if try owned.connection.integer("SELECT 1 FROM candle LIMIT 1", for: .open) == nil {
      try owned.connection.execute("DROP INDEX IF EXISTS candle_version", for: .open)
    }
    writer = BulkWriter(owned.connection, options)
    try writer.start()
  }

  deinit { close() }

  /// - Parameter rowsPerTransaction: twice as many rows of 240 bytes are held in memory.
  /// - Throws: as `CandleStore.open`.
  public static func open(
    path: String, options: StoreOptions = StoreOptions(), rowsPerTransaction: Int = 100_000
  ) throws(StoreError) -> BulkLoader {
    var options = options
    options.writerCacheKiB = max(options.writerCacheKiB, 64 * 1024)
    // Nobody reads meanwhile, and each checkpoint costs.
    options.checkpointPages = max(options.checkpointPages, 4_000)
    return try BulkLoader(OwnedDatabase.open(path: path, options: options), options, rowsPerTransaction)
  }

  /// Names a symbol; before its first row.
  public func name(_ symbol: Int32, _ name: String) { names.append((symbol, name)) }

  /// Adds a settled candle; of two with the same series and open time the later one stays.
  /// - Throws: what an earlier transaction failed with; its rows are kept and written with the next ones.
  @inline(__always)
  public func append(_ row: CandleRow) throws(StoreError) {
    waiting.append(row)
    if waiting.count >= rowsPerTransaction { try handOver() }
  }

  /// Commits what was appended, and waits for it.
  public func flush() throws(StoreError) {
    if !waiting.isEmpty || !names.isEmpty { try handOver() }
    try settle()
  }

  /// Writes a batch after all that was appended.
  public func write(_ batch: WriteBatch) throws(StoreError) {
    try flush()
    try writer.transaction(version: batch.newestVersion) { rows throws(StoreError) in try rows.write(batch) }
  }

  /// Whether the series has ever been stored.
  public func exists(symbol: String, timeframe: Timeframe) throws(StoreError) -> Bool {
    try flush()
    return try writer.rows.connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) != nil
  }

  /// Deletes all candles of a series, and says so to later replays.
  public func removeCandles(symbol: String, timeframe: Timeframe) throws(StoreError) {
    try flush()
    let connection = writer.rows.connection
    guard let id = try connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) else { return }
    try writer.transaction(version: 0) { rows throws(StoreError) in
      try rows.connection.execute(
        """
        UPDATE meta SET value = max(value, coalesce((SELECT max(version) FROM candle WHERE series = \(id)), 0))
        WHERE key = 'dropped_version';
        DELETE FROM candle WHERE series = \(id)
        """, for: .write)
    }
  }

  /// Commits, builds what was put off, and copies the log into the database. More may follow.
  public func finish() throws(StoreError) {
    try flush()
    try writer.rows.connection.createVersionIndex()
    try writer.rows.connection.checkpoint(truncating: true)
  }

  /// Gives the database up; what was not flushed is lost. The loader must not be used after.
  public func close() {
    writer.stop()
    lock.release()
  }

  private func handOver() throws(StoreError) {
    try settle()
    waiting = writer.write(waiting, names)
    names.removeAll()
  }

  /// Waits for the thread, and takes back what it could not write.
  private func settle() throws(StoreError) {
    guard let (error, rows) = writer.settle() else { return }
    waiting = rows + waiting
    throw error
  }
}
