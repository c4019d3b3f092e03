import CandleCore

/// The writer thread's half of the store: a queue of batches, one transaction at a time, nothing ever dropped.
final class StoreWriter: Sendable {
  struct Queue {
    var waiting: [WriteBatch] = []
    var submitted: UInt64 = 0
    /// Taken from `waiting`, not committed yet.
    var inFlight = 0
    var retention: [Retention] = []
    var closing = false
    /// With `closing`: when to give up on a disk that fails.
    var deadline: UInt64?
    /// The deadline passed with batches that could not be written.
    var givenUp = false
    var finished = false
  }

  let queue = Monitor(Queue())
  let path: String
  let options: StoreOptions
  let checkpointer: Checkpointer
  private let onCommit: @Sendable (StoreCommit) -> Void
  private let onFailure: @Sendable (StoreFailure) -> Void

  init(
    path: String, options: StoreOptions, checkpointer: Checkpointer,
    onCommit: @escaping @Sendable (StoreCommit) -> Void, onFailure: @escaping @Sendable (StoreFailure) -> Void
  ) {
    self.path = path
    self.options = options
    self.checkpointer = checkpointer
    self.onCommit = onCommit
    self.onFailure = onFailure
  }

  func submit(_ batch: WriteBatch) -> UInt64 {
    queue.update { queue in
      queue.waiting.append(batch)
      queue.submitted += 1
      return queue.submitted
    }
  }

  var pendingBatches: Int { queue.withLock { $0.waiting.count + $0.inFlight } }

  /// Starts the thread, which owns the connection and the lock from now on.
  /// - Parameter lastVersion: the largest version in the database.
  func start(_ connection: Connection, _ lock: DatabaseLock, lastVersion: Int64) throws(StoreError) {
    try StoreThread.start("candle-write") {
      self.run(connection, lastVersion: lastVersion)
      lock.release()
      self.queue.update { $0.finished = true }
    }
  }

  private func run(_ connection: Connection, lastVersion: Int64) {
    var session = WriterSession(rows: RowWriter(connection), version: lastVersion)
    while let work = nextWork() {
      switch work {
      case .batches(let batches, let last): commit(batches, last, &session)
      case .retention(let task): step(task, &session)
      }
    }
    let abandoned = queue.withLock { queue in
      let tasks = queue.retention
      queue.retention.removeAll()
      return tasks
    }
    for task in abandoned {
      task.completion(.failure(StoreError(operation: .retention, subject: path, cause: .closed)))
    }
    checkpointer.stop()
    // A backup that still reads keeps the log; the next start finds it.
    _ = try? session.rows.connection.checkpoint(truncating: true)
    session.rows.close()
  }

  private enum Work {
    case batches([WriteBatch], last: UInt64)
    case retention(Retention)
  }

  /// Waits for something to do; nil when the store closes and all is written.
  private func nextWork() -> Work? {
    let limit = options.maximumRowsPerTransaction
    let work: Work?? = queue.wait { queue in
      if queue.givenUp { return .some(nil) }
      if !queue.waiting.isEmpty {
        var rows = 0
        var count = 0
        while count < queue.waiting.count, count == 0 || rows + queue.waiting[count].candles.count <= limit {
          rows += queue.waiting[count].candles.count
          count += 1
        }
        let batches = Array(queue.waiting.prefix(count))
        queue.waiting.removeFirst(count)
        queue.inFlight = count
        return .some(.batches(batches, last: queue.submitted - UInt64(queue.waiting.count)))
      }
      if queue.closing { return .some(nil) }
      if let task = queue.retention.first { return .some(.retention(task)) }
      return nil
    }
    return work ?? nil
  }

  /// Tries until it works, or until the deadline of a closing store has passed.
  private func commit(_ batches: [WriteBatch], _ last: UInt64, _ session: inout WriterSession) {
    for batch in batches { session.version = max(session.version, batch.newestVersion) }
    let done = attempt(&session) { rows throws(StoreError) in
      for batch in batches { try rows.write(batch) }
    }
    guard let seconds = done else {
      // The deadline has passed: what waits stays counted as pending, and the thread ends.
      queue.update { queue in
        queue.waiting.insert(contentsOf: batches, at: 0)
        queue.inFlight = 0
        queue.givenUp = true
      }
      return
    }
    queue.update { $0.inFlight = 0 }
    onCommit(
      StoreCommit(
        sequence: last, version: session.version, batches: batches.count,
        candles: batches.reduce(0) { $0 + $1.candles.count }, seconds: seconds))
    checkpointer.committed(session.rows.connection)
  }

  /// Runs `body` in a transaction, again and again with growing pauses.
  /// - Returns: seconds that the attempt took; nil if the deadline of a closing store has passed.
  private func attempt(
    _ session: inout WriterSession, _ body: (RowWriter) throws(StoreError) -> Void
  ) -> Double? {
    var failures = 0
    while true {
      let start = MonotonicClock.now
      do {
        try session.transaction(path: path, options: options, body)
        return MonotonicClock.seconds(since: start)
      } catch {
        failures += 1
        if pause(after: error, failures) == false { return nil }
      }
    }
  }

  /// Reports a failure and waits before the next attempt.
  /// - Returns: false if there is none, because the store closes and its deadline has passed.
  private func pause(after error: StoreError, _ failures: Int) -> Bool {
    let (first, longest) = options.retryMilliseconds
    let milliseconds = min(longest, first << min(failures - 1, 16))
    onFailure(
      StoreFailure(error: error, attempt: failures, retryMilliseconds: milliseconds, pendingBatches: pendingBatches))
    let wake = MonotonicClock.now + UInt64(milliseconds) * 1_000_000
    let closing: UInt64? = queue.wait(until: wake) { $0.closing ? $0.deadline ?? .max : nil }
    guard let deadline = closing else { return true }
    // A store that closes tries again soon, but not past its deadline.
    let soon = min(deadline, wake, MonotonicClock.now + 20_000_000)
    let _: Bool? = queue.wait(until: soon) { _ in nil }
    return MonotonicClock.now < deadline
  }

  /// One step of a retention; one that fails is given up, since whoever asked will ask again.
  private func step(_ task: Retention, _ session: inout WriterSession) {
    var next = task
    do {
      try session.transaction(path: path, options: options) { rows throws(StoreError) in
        next = task
        try next.step(rows)
      }
    } catch {
      queue.update { _ = $0.retention.removeFirst() }
      task.completion(.failure(error))
      return
    }
    queue.update { queue in
      if next.isDone { queue.retention.removeFirst() } else { queue.retention[0] = next }
    }
    if next.isDone { next.completion(.success(next.deleted)) }
    checkpointer.committed(session.rows.connection)
  }
}
