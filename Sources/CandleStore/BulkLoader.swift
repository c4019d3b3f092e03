import CandleCore
import Synchronization

/// Fills a database as fast as SQLite allows: for tools, not for a daemon.
///
/// Rows are gathered and written in the order of the key on a thread of its own, `rowsPerBatch` at a time, while the caller
/// gathers the next ones. Use it from one thread.
///
/// A database without candles gets them in one transaction that `flush` ends, with a rollback journal instead of the
/// write-ahead log, which would write each page twice; after a crash it is empty. Any other database gets a transaction
/// each batch.
public final class BulkLoader {
  public let path: String
  public let epoch: String
  /// The largest version in the database when it was opened.
  public let lastVersion: Int64
  /// Rows of `append` committed so far; for a progress bar.
  public var committed: Int { writer.committed.load(ordering: .relaxed) }

  private let lock: DatabaseLock
  private let writer: BulkWriter
  private let rowsPerBatch: Int
  private var waiting = BulkBatch()
  private var named: Set<String> = []
  /// Series that the database had when it was opened.
  private let stored: Set<StoredName>

  private struct StoredName: Hashable {
    var symbol: String
    var timeframe: String
  }

  private init(_ owned: OwnedDatabase, _ options: StoreOptions, _ rowsPerBatch: Int) throws(StoreError) {
    path = owned.path
    lock = owned.lock
    epoch = try owned.connection.epoch()
    lastVersion = try owned.connection.lastVersion(for: .open)
    self.rowsPerBatch = max(1, rowsPerBatch)
    stored = try Self.storedNames(owned.connection)
    let isEmpty = try owned.connection.integer("SELECT 1 FROM candle LIMIT 1", for: .open) == nil
    if isEmpty {
      // The index on version is cheaper to build at the end; a start after a crash builds it too.
      try owned.connection.execute("DROP INDEX IF EXISTS candle_version", for: .open)
      // Where somebody reads the database, it stays as it is.
      try owned.connection.execute("PRAGMA journal_mode = TRUNCATE", for: .open)
    }
    writer = BulkWriter(owned.connection, options, inOneTransaction: isEmpty)
    try writer.start()
  }

  private static func storedNames(_ connection: Connection) throws(StoreError) -> Set<StoredName> {
    let statement = try connection.statement("SELECT symbol, timeframe FROM series", for: .open)
    defer { statement.reset() }
    var names: Set<StoredName> = []
    while try statement.step() {
      names.insert(StoredName(symbol: statement.string(0), timeframe: statement.string(1)))
    }
    return names
  }

  deinit { close() }

  /// - Parameter rowsPerBatch: twice as many rows of 240 bytes, and their texts, are held in memory.
  /// - Throws: as `CandleStore.open`.
  public static func open(
    path: String, options: StoreOptions = StoreOptions(), rowsPerBatch: Int = 100_000
  ) throws(StoreError) -> BulkLoader {
    var options = options
    options.writerCacheKiB = max(options.writerCacheKiB, 64 * 1024)
    // Nobody reads meanwhile, and each checkpoint costs.
    options.checkpointPages = max(options.checkpointPages, 4_000)
    return try BulkLoader(OwnedDatabase.open(path: path, options: options), options, rowsPerBatch)
  }

  /// Names a symbol; before its first row.
  public func name(_ symbol: Int32, _ name: String) {
    waiting.names.append((symbol, name))
    named.insert(name)
  }

  /// Adds a settled candle; of two with the same series and open time the later one stays.
  /// - Parameter indicators: JSON text, if they are stored.
  /// - Throws: what writing an earlier batch failed with. Its rows are kept and written with the next ones; but where all
  ///   is one transaction nothing of it is left, and each further call fails too.
  @inline(__always)
  public func append(
    _ series: SeriesKey, _ candle: Candle, indicators: UnsafeRawBufferPointer? = nil
  ) throws(StoreError) {
    if waiting.rows.isEmpty { waiting.reserve(rowsPerBatch) }
    waiting.append(series, candle, indicators)
    if waiting.rows.count >= rowsPerBatch { try handOver() }
  }

  /// Commits what was appended, and waits for it.
  public func flush() throws(StoreError) {
    if !waiting.isEmpty { try handOver() }
    try settle()
    try writer.commit()
  }

  /// Writes a batch after all that was appended.
  public func write(_ batch: WriteBatch) throws(StoreError) {
    try flush()
    try writer.transaction(version: batch.newestVersion) { rows throws(StoreError) in try rows.write(batch) }
  }

  /// Whether the series has ever been stored.
  public func exists(symbol: String, timeframe: Timeframe) throws(StoreError) -> Bool {
    if stored.contains(StoredName(symbol: symbol, timeframe: timeframe.name)) { return true }
    guard named.contains(symbol) else { return false }
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
    try writer.rows.connection.execute("PRAGMA journal_mode = WAL", for: .commit)
    try writer.rows.connection.checkpoint(truncating: true)
  }

  /// Gives the database up; what was not flushed is lost. The loader must not be used after.
  public func close() {
    writer.stop()
    lock.release()
  }

  private func handOver() throws(StoreError) {
    try settle()
    waiting = writer.write(waiting)
  }

  /// Waits for the thread, and takes back what it could not write.
  private func settle() throws(StoreError) {
    guard let (error, batch) = writer.settle() else { return }
    waiting = batch.followed(by: waiting)
    throw error
  }
}
