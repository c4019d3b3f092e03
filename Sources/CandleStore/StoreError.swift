/// Why the store could not do what it was asked for.
public struct StoreError: Error, Sendable, Equatable {
  public enum Operation: String, Sendable {
    case open, lock, migrate, write, commit, read, checkpoint, retention
  }

  public enum Cause: Sendable, Equatable {
    /// SQLite's extended result code and message.
    case sqlite(code: Int32, message: String)
    /// A system call's errno and message.
    case system(code: Int32, message: String)
    /// Another process (or another store of this one) writes to the database.
    case owned(pid: Int32?)
    /// The file is no SQLite database.
    case notADatabase
    /// A SQLite database of another program.
    case foreignDatabase
    /// The schema is newer than this program.
    case newer(found: Int, known: Int)
    /// A tool that only reads met a schema that has not been brought up to date.
    case older(found: Int, known: Int)
    /// The steps of the schema are not numbered 1, 2, 3, …
    case misnumbered(version: Int)
    /// More reads are waiting than the queue holds.
    case overloaded(limit: Int)
    /// The store has been closed.
    case closed
    /// A stored value cannot be read back.
    case damaged(column: String)
    /// A failure injected by a test.
    case injected(String)
  }

  public let operation: Operation
  /// The path of the database, or the path and what in it.
  public let subject: String
  public let cause: Cause

  public init(operation: Operation, subject: String, cause: Cause) {
    self.operation = operation
    self.subject = subject
    self.cause = cause
  }
}

extension StoreError {
  /// A fixed word for metrics: `full`, `locked`, `read_only`, `io`, `corrupt`, `owned`, …
  public var short: String {
    switch cause {
    case .sqlite(let code, _):
      switch code & 0xff {
      case 5, 6: "locked"
      case 8: "read_only"
      case 10: "io"
      case 11: "corrupt"
      case 13: "full"
      case 14: "cannot_open"
      case 26: "not_a_database"
      default: "sql"
      }
    case .system: "system"
    case .owned: "owned"
    case .notADatabase: "not_a_database"
    case .foreignDatabase: "foreign_database"
    case .newer: "newer"
    case .older: "older"
    case .misnumbered: "misnumbered"
    case .overloaded: "overloaded"
    case .closed: "closed"
    case .damaged: "damaged"
    case .injected: "injected"
    }
  }

  /// What to do about it.
  public var hint: String {
    switch short {
    case "locked": "another program holds a write transaction on the database; end it"
    case "read_only": "make the file and its directory writable for this user"
    case "io": "look at the disk and the kernel log"
    case "corrupt", "damaged": "restore a backup, or recover with `sqlite3 FILE .recover`"
    case "full": "free space on the disk; nothing is lost meanwhile"
    case "cannot_open", "system": "check that the directory exists and is writable"
    case "owned": "stop the other process, or use another database"
    case "not_a_database", "foreign_database": "name another file; this one was left untouched"
    case "newer": "use the program that wrote it, or a newer one; the file was left untouched"
    case "older": "start `candled run` on it once"
    case "overloaded": "ask again later, or allow more reads to wait"
    case "closed": "the store is shutting down"
    default: "report this with the message"
    }
  }

  /// The process that owns the database, if that is the cause and it is known.
  public var ownerPID: Int32? {
    if case .owned(let pid) = cause { pid } else { nil }
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String { "cannot \(operation.rawValue) \(subject): \(reason) (\(hint))" }

  private var reason: String {
    switch cause {
    case .sqlite(let code, let message): "\(message) [sqlite \(code)]"
    case .system(let code, let message): "\(message) [errno \(code)]"
    case .owned(let pid?): "process \(pid) writes to it"
    case .owned(nil): "another process writes to it"
    case .notADatabase: "it is no SQLite database"
    case .foreignDatabase: "it is a SQLite database of another program"
    case .newer(let found, let known): "its schema is version \(found), this program knows \(known)"
    case .older(let found, let known): "its schema is version \(found), this program needs \(known)"
    case .misnumbered(let version): "migration \(version) is out of sequence"
    case .overloaded(let limit): "\(limit) reads are waiting"
    case .closed: "the store is closed"
    case .damaged(let column): "column \(column) holds no number"
    case .injected(let text): text
    }
  }
}
