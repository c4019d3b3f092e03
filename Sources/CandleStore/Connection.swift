import CSQLite
import CandleCore

/// One SQLite connection and its prepared statements.
///
/// It is opened without SQLite's own mutex: one thread at a time uses it, and it is handed over whole, which is why it
/// may be sent.
final class Connection: @unchecked Sendable {
  enum Mode {
    /// Creates the file if it does not exist.
    case create
    case write
    case read
  }

  let handle: OpaquePointer
  let path: String
  private var statements: [String: Statement] = [:]
  private var isClosed = false
  /// Where SQLite reports the size of the log.
  private let logPagesReport: UnsafeMutablePointer<Int32>

  /// Pages in the write-ahead log after this connection's last commit; 0 unless `reportLogPages` was called.
  var logPages: Int { Int(logPagesReport.pointee) }

  private init(handle: OpaquePointer, path: String) {
    self.handle = handle
    self.path = path
    logPagesReport = .allocate(capacity: 1)
    logPagesReport.initialize(to: 0)
  }

  deinit {
    close()
    logPagesReport.deallocate()
  }

  /// Ends the connection before its last reference goes; it must not be used after.
  func close() {
    statements.removeAll()
    if !isClosed { sqlite3_close_v2(handle) }
    isClosed = true
  }

  /// - Throws: `cannot_open`, or `read_only` where SQLite fell back to reading.
  static func open(path: String, mode: Mode, busyTimeoutMilliseconds: Int32) throws(StoreError) -> Connection {
    let access =
      switch mode {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .write: SQLITE_OPEN_READWRITE
      case .read: SQLITE_OPEN_READONLY
      }
    var handle: OpaquePointer?
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      let message = String(cString: sqlite3_errstr(code))
      sqlite3_close_v2(handle)
      throw StoreError(operation: .open, subject: path, cause: .sqlite(code: code, message: message))
    }
    let connection = Connection(handle: handle, path: path)
    if mode != .read, sqlite3_db_readonly(handle, "main") == 1 {
      throw StoreError(
        operation: .open, subject: path, cause: .sqlite(code: SQLITE_READONLY, message: "the file is read-only"))
    }
    sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
    return connection
  }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String, for operation: StoreError.Operation) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    if code != SQLITE_OK { throw error(code, operation) }
  }

  /// The prepared statement for a text; prepared once, reset before it is returned.
  func statement(_ sql: String, for operation: StoreError.Operation) throws(StoreError) -> Statement {
    if let known = statements[sql] {
      known.reset()
      return known
    }
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw error(code, operation) }
    let statement = Statement(handle: prepared, connection: handle, path: path, operation: operation)
    statements[sql] = statement
    return statement
  }

  /// The first column of the first row as an integer; nil without a row, or where it is NULL.
  func integer(_ sql: String, for operation: StoreError.Operation) throws(StoreError) -> Int64? {
    let statement = try statement(sql, for: operation)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.integer(0)
  }

  /// The first column of the first row as text.
  func text(_ sql: String, for operation: StoreError.Operation) throws(StoreError) -> String? {
    let statement = try statement(sql, for: operation)
    defer { statement.reset() }
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.string(0)
  }

  /// Makes `logPages` work; SQLite's own automatic checkpoint uses the same hook and ends.
  func reportLogPages() {
    sqlite3_wal_hook(
      handle,
      { report, _, _, pages in
        report!.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, logPagesReport)
  }

  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

  /// Takes back what the open transaction did; SQLite may already have done it after a failure.
  func rollBack() {
    for statement in statements.values { statement.reset() }
    if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
  }

  /// Copies the log into the database as far as readers allow, waiting for nobody.
  /// - Returns: pages in the log, and how many of them are copied.
  @discardableResult
  func checkpoint(truncating: Bool = false) throws(StoreError) -> (log: Int32, copied: Int32) {
    var log: Int32 = 0
    var copied: Int32 = 0
    let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
    let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, &log, &copied)
    if code != SQLITE_OK { throw error(code, .checkpoint) }
    return (log, copied)
  }

  func error(_ code: Int32, _ operation: StoreError.Operation) -> StoreError {
    StoreError(
      operation: operation, subject: path,
      cause: .sqlite(code: code, message: String(cString: sqlite3_errmsg(handle))))
  }
}
