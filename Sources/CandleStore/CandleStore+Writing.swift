import CandleCore

extension CandleStore {
  /// Queues a batch; it never waits. Batches are committed in order, several of them in one transaction if they wait.
  /// - Returns: its number, which `StoreCommit.sequence` reaches when it is committed.
  @discardableResult
  public func submit(_ batch: WriteBatch) -> UInt64 { writer.submit(batch) }

  /// Batches that are not committed yet.
  public var pendingBatches: Int { writer.pendingBatches }

  /// Pages (4 KiB) in the write-ahead log after the last commit.
  public var logPages: Int { writer.checkpointer.logPages.load(ordering: .relaxed) }

  /// Checkpoints that failed; the next one copies what they did not.
  public var failedCheckpoints: Int { writer.checkpointer.failures.load(ordering: .relaxed) }

  /// Deletes the candles of a timeframe that open before a moment, in small steps between batches.
  /// - Parameters:
  ///   - rowsPerStep: the most rows one transaction deletes.
  ///   - completion: called on the writer thread with the number of deleted rows, or with what failed.
  public func retain(
    _ timeframe: Timeframe, from before: Milliseconds, rowsPerStep: Int = 1_000,
    completion: @escaping @Sendable (Result<Int64, StoreError>) -> Void = { _ in }
  ) {
    retain(Retention(.candles(timeframe), before: before, rowsPerStep: Int64(rowsPerStep), completion: completion))
  }

  /// The same for gaps of all symbols that ended before a moment.
  public func retainGaps(
    from before: Milliseconds, rowsPerStep: Int = 1_000,
    completion: @escaping @Sendable (Result<Int64, StoreError>) -> Void = { _ in }
  ) {
    retain(Retention(.gaps, before: before, rowsPerStep: Int64(rowsPerStep), completion: completion))
  }

  private func retain(_ task: Retention) {
    let closing = writer.queue.update { queue in
      if !queue.closing { queue.retention.append(task) }
      return queue.closing
    }
    if closing { task.completion(.failure(StoreError(operation: .retention, subject: path, cause: .closed))) }
  }
}

extension CandleStore {
  /// Queues a read, which sees one state of the database and never waits for the writer.
  /// - Parameter completion: called on a reader thread; at once on this one if the queue is full or the store closed.
  public func read<Value: Sendable>(
    _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    readers.submit(body, completion: completion)
  }

  /// The same, waiting for the answer: for tools and for the time before a daemon's loop runs.
  public func readNow<Value: Sendable>(
    _ body: @escaping @Sendable (StoreReader) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let answer = Monitor<Result<Value, StoreError>?>(nil)
    read(body) { result in answer.update { $0 = result } }
    return try answer.wait { $0 }!.get()
  }

  /// Reads that wait for a thread.
  public var waitingReads: Int { readers.waiting }

  /// Reads that were refused, because the queue was full or the store closed.
  public var refusedReads: Int { readers.refused.load(ordering: .relaxed) }
}
