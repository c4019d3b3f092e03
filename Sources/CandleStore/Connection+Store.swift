extension Connection {
  /// The connection that writes: schema brought up to date, write-ahead log, settings of the options.
  static func writer(
    path: String, options: StoreOptions, migrator: Migrator, mode: Mode
  ) throws(StoreError) -> Connection {
    let connection = try Connection.open(
      path: path, mode: mode, busyTimeoutMilliseconds: options.busyTimeoutMilliseconds)
    // secure_delete (on in Debian) would overwrite with zeros what a correction replaces.
    try connection.execute(
      """
      PRAGMA journal_mode = WAL; PRAGMA synchronous = \(options.synchronous.rawValue);
      PRAGMA cache_size = -\(options.writerCacheKiB); PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY;
      PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = 67108864;
      """, for: .open)
    try migrator.migrate(connection)
    try connection.createVersionIndex()
    connection.reportLogPages()
    return connection
  }

  /// A bulk load drops the index and builds it at its end; where it did not come to that, this does.
  func createVersionIndex() throws(StoreError) {
    try execute("CREATE INDEX IF NOT EXISTS candle_version ON candle (version)", for: .migrate)
  }

  /// A connection that only reads.
  static func reader(path: String, cacheKiB: Int) throws(StoreError) -> Connection {
    let connection = try Connection.open(path: path, mode: .read, busyTimeoutMilliseconds: 5_000)
    // No memory map: a disk that fails would end the process by a signal instead of an error.
    try connection.execute(
      "PRAGMA cache_size = -\(cacheKiB); PRAGMA temp_store = MEMORY; PRAGMA mmap_size = 0", for: .open)
    return connection
  }

  /// The largest version given out, O(log n).
  func lastVersion(for operation: StoreError.Operation) throws(StoreError) -> Int64 {
    try integer(
      """
      SELECT max((SELECT value FROM meta WHERE key = 'last_version'),
        coalesce((SELECT max(version) FROM candle), 0), coalesce((SELECT max(version) FROM gap), 0))
      """, for: operation) ?? 0
  }

  func epoch() throws(StoreError) -> String {
    guard let epoch = try text("SELECT value FROM meta WHERE key = 'epoch'", for: .open) else {
      throw StoreError(operation: .open, subject: path, cause: .damaged(column: "meta.epoch"))
    }
    return epoch
  }
}
