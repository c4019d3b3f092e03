import Glibc

/// Why the journal could not do what it was asked for.
public struct JournalError: Error, Sendable, Equatable {
  public enum Operation: String, Sendable {
    /// Take up a directory and what is in it.
    case open
    /// Lay out a segment in advance.
    case prepare
    /// Go on in a new segment.
    case begin
    case append, sync, read
  }

  public enum Cause: Sendable, Equatable {
    /// A system call's errno.
    case system(code: Int32)
    /// `maximumBytes` are on disk.
    case full(limit: Int64)
    /// The records of one append, or the restatement of all symbols, do not fit into a segment.
    case tooLarge(limit: Int)
    /// A symbol's name or an epoch is longer than the format allows.
    case nameTooLong(limit: Int)
    /// A segment of a later format.
    case newer(found: UInt32, known: UInt32)
    case closed
  }

  public let operation: Operation
  /// The path of the file or directory.
  public let subject: String
  public let cause: Cause

  public init(operation: Operation, subject: String, cause: Cause) {
    self.operation = operation
    self.subject = subject
    self.cause = cause
  }
}

extension JournalError {
  /// A fixed word for metrics: `no_space`, `io`, `read_only`, `denied`, `missing`, `system`, `full`, …
  public var short: String {
    switch cause {
    case .system(let code):
      switch code {
      case ENOSPC, EDQUOT: "no_space"
      case EIO: "io"
      case EROFS: "read_only"
      case EACCES, EPERM: "denied"
      case ENOENT, ENOTDIR: "missing"
      default: "system"
      }
    case .full: "full"
    case .tooLarge: "too_large"
    case .nameTooLong: "name_too_long"
    case .newer: "newer"
    case .closed: "closed"
    }
  }

  /// What to do about it.
  public var hint: String {
    switch short {
    case "no_space": "free space on the disk; nothing that was acknowledged is lost"
    case "io": "look at the disk and the kernel log"
    case "read_only", "denied": "make the directory writable for this user"
    case "missing": "check that the directory of the database exists"
    case "full": "see why candles are not stored, or allow the journal more"
    case "too_large": "append less at once, or make segments larger"
    case "name_too_long": "shorten the name"
    case "newer": "use the program that wrote it, or a newer one; the file was left untouched"
    case "closed": "the journal is shutting down"
    default: "look up the error number"
    }
  }
}

extension JournalError: CustomStringConvertible {
  public var description: String { "cannot \(operation.rawValue) journal \(subject): \(reason) (\(hint))" }

  private var reason: String {
    switch cause {
    case .system(let code): "\(String(cString: strerror(code))) [errno \(code)]"
    case .full(let limit): "its \(limit) bytes are used up"
    case .tooLarge(let limit): "the records do not fit into the \(limit) bytes of a segment"
    case .nameTooLong(let limit): "a name is longer than \(limit) bytes"
    case .newer(let found, let known): "its format is version \(found), this program knows \(known)"
    case .closed: "it is closed"
    }
  }
}
