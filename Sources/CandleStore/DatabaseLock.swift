import Glibc
import Synchronization

/// The right to write to a database: an exclusive lock on the file `<database>.lock`, which holds the owner's process
/// id.
///
/// The kernel releases it with the process, however that ends. The file stays, since removing a locked file would let
/// two processes each lock a file of that name.
final class DatabaseLock: Sendable {
  private let path: String
  /// -1 once released.
  private let descriptor: Atomic<Int32>
  /// Whether there was no lock file before.
  let isNew: Bool

  private init(path: String, descriptor: Int32, isNew: Bool) {
    self.path = path
    self.descriptor = Atomic(descriptor)
    self.isNew = isNew
  }

  deinit { release() }

  /// Gives the database up before the last reference goes.
  func release() {
    let held = descriptor.exchange(-1, ordering: .relaxed)
    if held < 0 { return }
    _ = ftruncate(held, 0)
    close(held)
  }

  /// Gives up what turned out to be no database of ours, and leaves nothing behind.
  func abandon() {
    if isNew { unlink(path) }
    release()
  }

  /// - Parameter database: path of the database, links resolved.
  /// - Throws: `owned` with the process id, or `system` where the lock file cannot be written.
  static func acquire(database: String) throws(StoreError) -> DatabaseLock {
    let path = database + ".lock"
    let isNew = access(path, F_OK) != 0
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    if descriptor < 0 { throw .system(.lock, path) }
    if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let code = errno
      let owner = owner(descriptor)
      close(descriptor)
      if code != EWOULDBLOCK { throw .system(.lock, path, code: code) }
      throw StoreError(operation: .lock, subject: database, cause: .owned(pid: owner))
    }
    let lock = DatabaseLock(path: path, descriptor: descriptor, isNew: isNew)
    var text = Array("\(getpid())\n".utf8)
    guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, &text, text.count, 0) == text.count else {
      throw .system(.lock, path)
    }
    return lock
  }

  /// The process id in the file; the owner writes it right after locking, so a short wait bridges that moment.
  private static func owner(_ descriptor: Int32) -> Int32? {
    for _ in 0..<20 {
      var buffer = [UInt8](repeating: 0, count: 16)
      let count = pread(descriptor, &buffer, buffer.count, 0)
      let digits = String(decoding: buffer.prefix(max(count, 0)).prefix { $0 >= 48 && $0 <= 57 }, as: UTF8.self)
      if let pid = Int32(digits) { return pid }
      usleep(5_000)
    }
    return nil
  }
}

extension StoreError {
  /// The failure of a system call, with the message of its errno.
  static func system(_ operation: Operation, _ subject: String, code: Int32 = errno) -> StoreError {
    StoreError(
      operation: operation, subject: subject, cause: .system(code: code, message: String(cString: strerror(code))))
  }
}
