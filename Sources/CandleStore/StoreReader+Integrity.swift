import CandleCore

extension StoreReader {
  /// Versions that more than one row carries; there must be none.
  public func doubledVersions(limit: Int) throws(StoreError) -> [Int64] {
    let statement = try connection.statement(
      """
      SELECT version FROM (SELECT version FROM candle UNION ALL SELECT version FROM gap)
      GROUP BY version HAVING count(*) > 1 ORDER BY version LIMIT ?1
      """, for: .read)
    defer { statement.reset() }
    statement.bind(1, Int64(limit))
    var versions: [Int64] = []
    while try statement.step() { versions.append(statement.integer(0)) }
    return versions
  }

  /// The largest number that `meta` says was given out as a version; no row may carry a larger one.
  public func recordedVersion() throws(StoreError) -> Int64 {
    try connection.integer("SELECT value FROM meta WHERE key = 'last_version'", for: .read) ?? 0
  }

  /// What SQLite finds wrong with the file; empty if nothing. Reads all of it.
  public func damages(limit: Int = 100) throws(StoreError) -> [String] {
    let statement = try connection.statement("PRAGMA integrity_check(\(limit))", for: .read)
    defer { statement.reset() }
    var lines: [String] = []
    while try statement.step() { lines.append(statement.string(0)) }
    return lines == ["ok"] ? [] : lines
  }

  /// The applied steps of the schema.
  public func schemaVersions() throws(StoreError) -> [(version: Int, name: String)] {
    let statement = try connection.statement("SELECT version, name FROM schema_migrations ORDER BY version", for: .read)
    defer { statement.reset() }
    var steps: [(Int, String)] = []
    while try statement.step() { steps.append((Int(statement.integer(0)), statement.string(1))) }
    return steps
  }
}

extension StoreReader {
  /// Bytes of the pages that hold something; the file may be larger, since freed pages stay in it for later.
  public func usedBytes() throws(StoreError) -> Int64 {
    let pages = try connection.integer("PRAGMA page_count", for: .read) ?? 0
    let free = try connection.integer("PRAGMA freelist_count", for: .read) ?? 0
    return (pages - free) * (try connection.integer("PRAGMA page_size", for: .read) ?? 0)
  }
}
