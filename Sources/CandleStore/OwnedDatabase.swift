/// A database that this process may write to: locked, checked, its schema up to date.
struct OwnedDatabase {
  let path: String
  let lock: DatabaseLock
  let connection: Connection

  static func open(
    path: String, options: StoreOptions, migrator: Migrator = Migrator()
  ) throws(StoreError) -> OwnedDatabase {
    let path = try DatabaseFile.resolve(path)
    // The lock comes first: closing a file that another store of this process has open would drop its locks on it.
    let lock = try DatabaseLock.acquire(database: path)
    do {
      _ = try migrator.check(path: path)
    } catch {
      lock.abandon()
      throw error
    }
    let connection = try Connection.writer(path: path, options: options, migrator: migrator, mode: .create)
    return OwnedDatabase(path: path, lock: lock, connection: connection)
  }
}
