import CandleCore

/// The database of candles: one thread that writes, others that read, and the lock that makes this process its owner.
///
/// Every method may be called from any thread; none of them waits for a disk but `open`, `close` and `readNow`.
public final class CandleStore: Sendable {
  /// The path with links resolved.
  public let path: String
  /// Random name of the database, made when it was created.
  public let epoch: String
  /// The largest version in the database when it was opened.
  public let lastVersion: Int64

  let writer: StoreWriter
  let readers: ReaderPool

  private init(
    path: String, epoch: String, lastVersion: Int64, writer: StoreWriter, readers: ReaderPool
  ) {
    self.path = path
    self.epoch = epoch
    self.lastVersion = lastVersion
    self.writer = writer
    self.readers = readers
  }

  deinit {
    readers.beginClosing()
    let deadline = MonotonicClock.now + 5_000_000_000
    writer.queue.update { queue in
      queue.closing = true
      queue.deadline = queue.deadline ?? deadline
    }
  }

  /// Opens or creates a database, brings its schema up to date and starts the threads.
  /// - Parameters:
  ///   - onCommit: called on the writer thread after each transaction, in the order of the batches.
  ///   - onFailure: called on the writer thread when a transaction failed and will be tried again.
  /// - Throws: `owned` (with the process id), `notADatabase`, `foreignDatabase`, `newer` (each leaves the file
  ///   untouched), `system` or `sqlite` where the file cannot be used.
  public static func open(
    path: String, options: StoreOptions = StoreOptions(),
    onCommit: @escaping @Sendable (StoreCommit) -> Void = { _ in },
    onFailure: @escaping @Sendable (StoreFailure) -> Void = { _ in }
  ) throws(StoreError) -> CandleStore {
    let owned = try OwnedDatabase.open(path: path, options: options)
    let connection = owned.connection
    let epoch = try connection.epoch()
    let version = try connection.lastVersion(for: .open)
    let checkpointer = Checkpointer(path: owned.path, options: options)
    let writer = StoreWriter(
      path: owned.path, options: options, checkpointer: checkpointer, onCommit: onCommit, onFailure: onFailure)
    let readers = ReaderPool(path: owned.path, limit: options.maximumQueuedReads)
    do {
      try readers.start(threads: options.readThreads, cacheKiB: options.readerCacheKiB)
      try checkpointer.start()
      try writer.start(connection, owned.lock, lastVersion: version)
    } catch {
      readers.beginClosing()
      throw error
    }
    return CandleStore(
      path: owned.path, epoch: epoch, lastVersion: version, writer: writer, readers: readers)
  }

  /// Writes what was submitted, ends the threads, copies the log into the database and gives up the lock.
  /// - Parameter deadlineMilliseconds: the longest wait, e.g. for a disk that fails.
  /// - Returns: the number of batches that could not be written in time; 0 when all is well.
  @discardableResult
  public func close(deadlineMilliseconds: Int = 5_000) -> Int {
    let deadline = MonotonicClock.now + UInt64(deadlineMilliseconds) * 1_000_000
    readers.beginClosing()
    // The last checkpoint wants no reader on the log; one that takes long does not hold up the batches that wait.
    _ = readers.waitUntilClosed(min(deadline, MonotonicClock.now + 500_000_000))
    writer.queue.update { queue in
      queue.closing = true
      queue.deadline = deadline
    }
    // Past the deadline the thread may still be inside a call to the disk; it keeps the lock until it comes back.
    _ = writer.queue.wait(until: deadline + 100_000_000) { $0.finished ? true : nil }
    return writer.pendingBatches
  }
}
