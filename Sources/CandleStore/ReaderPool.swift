import Synchronization

/// Threads that read, each with a connection of its own, and the bounded queue in front of them.
final class ReaderPool: Sendable {
  private typealias Job = @Sendable (StoreReader?) -> Void

  private struct Queue {
    var jobs: [Job] = []
    /// Index of the next job; the part before it is removed in bulk.
    var next = 0
    var closing = false
    var threads = 0
    var count: Int { jobs.count - next }
  }

  private let queue = Monitor(Queue())
  private let path: String
  private let limit: Int
  let refused = Atomic<Int>(0)

  init(path: String, limit: Int) {
    self.path = path
    self.limit = limit
  }

  var waiting: Int { queue.withLock { $0.count } }

  func start(threads: Int, cacheKiB: Int) throws(StoreError) {
    for _ in 0..<max(1, threads) {
      let connection = try Connection.reader(path: path, cacheKiB: cacheKiB)
      queue.update { $0.threads += 1 }
      do {
        try StoreThread.start("candle-read") { self.run(connection) }
      } catch {
        queue.update { $0.threads -= 1 }
        throw error
      }
    }
  }

  /// Queues a read. `completion` is called on a reader thread, or at once on this one if the read is refused.
  func submit<Value: Sendable>(
    _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    let job: Job = { reader in
      guard let reader else { return completion(.failure(self.error(.closed))) }
      do throws(StoreError) {
        completion(.success(try reader.transaction(body)))
      } catch {
        completion(.failure(error))
      }
    }
    let cause: StoreError.Cause? = queue.update { queue in
      if queue.closing { return .closed }
      if queue.count >= limit { return .overloaded(limit: limit) }
      queue.jobs.append(job)
      return nil
    }
    guard let cause else { return }
    refused.add(1, ordering: .relaxed)
    completion(.failure(error(cause)))
  }

  /// Refuses new reads, answers those that wait with `closed`, and lets the running ones end.
  func beginClosing() {
    let dropped = queue.update { queue in
      queue.closing = true
      let jobs = Array(queue.jobs[queue.next...])
      queue.jobs.removeAll()
      queue.next = 0
      return jobs
    }
    for job in dropped { job(nil) }
  }

  /// Waits for the running reads.
  /// - Returns: false when the deadline has passed.
  func waitUntilClosed(_ deadline: UInt64) -> Bool {
    queue.wait(until: deadline) { $0.threads == 0 ? true : nil } ?? false
  }

  private func run(_ connection: Connection) {
    serve(StoreReader(connection))
    connection.close()
    queue.update { $0.threads -= 1 }
  }

  private func serve(_ reader: StoreReader) {
    while true {
      let job: Job?? = queue.wait { queue in
        if queue.count > 0 {
          let job = queue.jobs[queue.next]
          queue.next += 1
          if queue.next >= 1_024 || queue.next == queue.jobs.count {
            queue.jobs.removeFirst(queue.next)
            queue.next = 0
          }
          return .some(job)
        }
        return queue.closing ? .some(nil) : nil
      }
      guard let job, let job else { return }
      job(reader)
    }
  }

  private func error(_ cause: StoreError.Cause) -> StoreError {
    StoreError(operation: .read, subject: path, cause: cause)
  }
}
