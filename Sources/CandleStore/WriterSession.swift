/// What the writer thread holds between transactions.
struct WriterSession {
  var rows: RowWriter
  /// The largest version of all batches taken so far.
  var version: Int64
  private var broken = false

  init(rows: RowWriter, version: Int64) {
    self.rows = rows
    self.version = version
  }

  /// Runs `body` in one transaction and commits it.
  /// - Throws: what failed; the transaction is rolled back.
  mutating func transaction(
    path: String, options: StoreOptions, _ body: (RowWriter) throws(StoreError) -> Void
  ) throws(StoreError) {
    do {
      try reconnectIfBroken(path: path, options: options)
      let connection = rows.connection
      try connection.execute("BEGIN IMMEDIATE", for: .write)
      try body(rows)
      try rows.raise("last_version", to: version)
      if let beforeCommit = options.beforeCommit { try beforeCommit() }
      try connection.execute("COMMIT", for: .commit)
      rows.transactionEnded(committed: true)
    } catch {
      rows.connection.rollBack()
      rows.transactionEnded(committed: false)
      // A connection may not outlive these; the next attempt gets a new one.
      broken = ["io", "corrupt", "read_only", "cannot_open", "not_a_database"].contains(error.short)
      throw error
    }
  }

  private mutating func reconnectIfBroken(path: String, options: StoreOptions) throws(StoreError) {
    guard broken else { return }
    let connection = try Connection.writer(path: path, options: options, migrator: Migrator(), mode: .write)
    let renewed = RowWriter(connection)
    renewed.adopt(rows)
    rows = renewed
    broken = false
  }
}
