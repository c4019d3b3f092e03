import CSQLite
import CandleMigrations

/// Brings the schema of a database up to date, each step in a transaction of its own.
struct Migrator {
  let migrations: [Migration]

  init(_ migrations: [Migration] = Migrations.all) { self.migrations = migrations }

  var newest: Int { migrations.last?.version ?? 0 }

  /// Refuses what must not be touched, by the header and then by reading.
  /// - Returns: the version of the schema, 0 for a new database.
  /// - Throws: `notADatabase`, `foreignDatabase`, `newer`.
  func check(path: String) throws(StoreError) -> Int {
    guard case .database(let marked) = try DatabaseFile.inspect(path) else { return 0 }
    if let marked, marked > newest { throw newer(Int(marked), path) }
    do {
      return try version(Connection.open(path: path, mode: .read, busyTimeoutMilliseconds: 2_000))
    } catch {
      // A crash in the middle of a transaction left a rollback journal, which a reader may not undo.
      guard case .sqlite(Self.needsRollback, _) = error.cause else { throw error }
      return try version(Connection.open(path: path, mode: .write, busyTimeoutMilliseconds: 2_000))
    }
  }

  /// SQLITE_READONLY_ROLLBACK, a macro that is not imported.
  private static let needsRollback = SQLITE_READONLY | 3 << 8

  /// The version of the schema as its table records it.
  func version(_ connection: Connection) throws(StoreError) -> Int {
    let known = try connection.integer(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migrations'", for: .open)
    if known == 0 {
      let others = try connection.integer("SELECT count(*) FROM sqlite_schema", for: .open)
      if others == 0 { return 0 }
      throw StoreError(operation: .open, subject: connection.path, cause: .foreignDatabase)
    }
    let version = Int(try connection.integer("SELECT max(version) FROM schema_migrations", for: .open) ?? 0)
    if version > newest { throw newer(version, connection.path) }
    return version
  }

  /// Applies what is missing.
  /// - Returns: how many steps were applied.
  /// - Throws: what a step failed with; that step is rolled back, earlier ones stay.
  @discardableResult
  func migrate(_ connection: Connection) throws(StoreError) -> Int {
    for (index, migration) in migrations.enumerated() where migration.version != index + 1 {
      throw StoreError(
        operation: .migrate, subject: connection.path, cause: .misnumbered(version: migration.version))
    }
    let current = try version(connection)
    if current == newest { return 0 }
    for migration in migrations.dropFirst(current) {
      do {
        try apply(migration, to: connection)
      } catch {
        connection.rollBack()
        throw StoreError(
          operation: .migrate, subject: "\(connection.path) to \(migration.name)", cause: error.cause)
      }
    }
    return newest - current
  }

  /// Brings the file at a path up to date without opening a store.
  func apply(to path: String) throws(StoreError) {
    let connection = try Connection.open(path: path, mode: .create, busyTimeoutMilliseconds: 2_000)
    try migrate(connection)
  }

  private func apply(_ migration: Migration, to connection: Connection) throws(StoreError) {
    try connection.execute("BEGIN IMMEDIATE", for: .migrate)
    try connection.execute(
      """
      CREATE TABLE IF NOT EXISTS schema_migrations (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL
      ) STRICT
      """, for: .migrate)
    try connection.execute(migration.sql, for: .migrate)
    let record = try connection.statement(
      "INSERT INTO schema_migrations VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))", for: .migrate)
    record.bind(1, Int64(migration.version))
    record.bind(2, migration.name)
    try record.run()
    // The header tells a program that knows less to keep away before it opens the file.
    try connection.execute(
      "PRAGMA application_id = \(DatabaseFile.applicationID); PRAGMA user_version = \(migration.version); COMMIT",
      for: .migrate)
  }

  private func newer(_ found: Int, _ path: String) -> StoreError {
    StoreError(operation: .open, subject: path, cause: .newer(found: found, known: newest))
  }
}
