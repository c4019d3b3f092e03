import CSQLite

/// A prepared statement; indexes of parameters count from 1, of columns from 0, as in SQLite.
final class Statement {
  let handle: OpaquePointer
  private let connection: OpaquePointer
  private let path: String
  private let operation: StoreError.Operation

  init(handle: OpaquePointer, connection: OpaquePointer, path: String, operation: StoreError.Operation) {
    self.handle = handle
    self.connection = connection
    self.path = path
    self.operation = operation
  }

  deinit { sqlite3_finalize(handle) }

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }

  func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  func bind(_ index: Int32, _ value: Int64?) {
    if let value { bind(index, value) } else { bindNull(index) }
  }

  /// Binds text; SQLite keeps a copy.
  func bind(_ index: Int32, text: UnsafeRawBufferPointer) {
    // A null pointer would bind NULL, and an empty buffer may have one.
    if text.isEmpty {
      candled_bind_text(handle, index, "", 0)
    } else {
      candled_bind_text(handle, index, text.baseAddress, UInt64(text.count))
    }
  }

  /// Binds text that stays where it is until the statement has run and the parameter is bound anew.
  func bind(_ index: Int32, lent text: UnsafeRawBufferPointer) {
    guard !text.isEmpty else { return bind(index, text: text) }
    candled_bind_lent_text(handle, index, text.baseAddress, UInt64(text.count))
  }

  func bind(_ index: Int32, _ text: String) {
    var copy = text
    copy.withUTF8 { bind(index, text: UnsafeRawBufferPointer($0)) }
  }

  /// - Returns: whether there is a row.
  func step() throws(StoreError) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE { return false }
    let message = String(cString: sqlite3_errmsg(connection))
    sqlite3_reset(handle)
    throw StoreError(operation: operation, subject: path, cause: .sqlite(code: code, message: message))
  }

  /// Runs a statement that returns no rows and makes it ready for the next values.
  func run() throws(StoreError) {
    _ = try step()
    sqlite3_reset(handle)
  }

  func reset() { sqlite3_reset(handle) }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  func isInteger(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// Bytes of a text column, valid until the next step.
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
    let text = sqlite3_column_text(handle, column)
    return UnsafeRawBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, column)))
  }

  func string(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func damaged(_ column: String) -> StoreError {
    StoreError(operation: operation, subject: path, cause: .damaged(column: column))
  }
}
