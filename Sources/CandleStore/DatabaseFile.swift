import Glibc

/// What a path holds, found out without SQLite touching it.
enum DatabaseFile {
  /// `CNDL`: marks a database as ours in its header.
  static let applicationID: Int32 = 0x434e_444c

  /// The path with links resolved, so that one file has one lock; the file itself need not exist.
  /// - Throws: `system` where the directory does not exist.
  static func resolve(_ path: String) throws(StoreError) -> String {
    if let full = realpath(path, nil) {
      defer { free(full) }
      return String(cString: full)
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.dropLast().joined(separator: "/")
    let directory = parts.count == 1 ? "." : parent.isEmpty ? "/" : parent
    guard let name = parts.last, !name.isEmpty else { throw .system(.open, path, code: EISDIR) }
    guard let full = realpath(directory, nil) else { throw .system(.open, path) }
    defer { free(full) }
    let resolved = String(cString: full)
    return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
  }

  enum Kind: Equatable {
    case absent
    /// A SQLite file and the schema version in its header; nil if it is another program's, or has no schema yet.
    case database(userVersion: Int32?)
  }

  /// Reads the header.
  /// - Throws: `notADatabase`, or `system` where it cannot be read.
  static func inspect(_ path: String) throws(StoreError) -> Kind {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 {
      if errno == ENOENT { return .absent }
      throw .system(.open, path)
    }
    defer { close(descriptor) }
    var header = [UInt8](repeating: 0, count: 100)
    let count = pread(descriptor, &header, 100, 0)
    if count < 0 { throw .system(.open, path) }
    if count == 0 { return .absent }
    guard count == 100, header.starts(with: "SQLite format 3\0".utf8) else {
      throw StoreError(operation: .open, subject: path, cause: .notADatabase)
    }
    func bigEndian(_ at: Int) -> Int32 {
      Int32(truncatingIfNeeded: header[at..<at + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
    return .database(userVersion: bigEndian(68) == applicationID ? bigEndian(60) : nil)
  }
}
