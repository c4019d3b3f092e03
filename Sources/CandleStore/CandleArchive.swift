import Glibc

/// A database opened by a tool that only reads, also while a daemon writes to it. While a bulk load fills an empty
/// database, `changes` fails in it, since the index on version comes last.
public final class CandleArchive {
  public let path: String
  private let reader: StoreReader

  private init(path: String, reader: StoreReader) {
    self.path = path
    self.reader = reader
  }

  /// - Throws: `system` where there is no such file, `notADatabase`, `foreignDatabase`, `newer`, `older`.
  public static func open(path: String) throws(StoreError) -> CandleArchive {
    let path = try DatabaseFile.resolve(path)
    if access(path, R_OK) != 0 { throw .system(.open, path) }
    // SQLite takes a file too short for a header for an empty database.
    var status = stat()
    if stat(path, &status) == 0, status.st_size > 0, status.st_size < 100 {
      throw StoreError(operation: .open, subject: path, cause: .notADatabase)
    }
    let migrator = Migrator()
    let connection: Connection
    let version: Int
    do {
      connection = try Connection.reader(path: path, cacheKiB: 16 * 1024)
      version = try migrator.version(connection)
    } catch {
      if error.short != "not_a_database" { throw error }
      throw StoreError(operation: .open, subject: path, cause: .notADatabase)
    }
    if version < migrator.newest {
      throw StoreError(operation: .open, subject: path, cause: .older(found: version, known: migrator.newest))
    }
    return CandleArchive(path: path, reader: StoreReader(connection))
  }

  /// Reads one state of the database on this thread.
  public func read<Value>(_ body: (StoreReader) throws(StoreError) -> Value) throws(StoreError) -> Value {
    try reader.transaction(body)
  }
}
