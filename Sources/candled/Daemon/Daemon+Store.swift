import CandleCore
import CandleEngine
import CandleStore
import CandleWire
import Synchronization

/// What was observed of the store's commits.
struct CommitCounters {
  var transactions: Int64 = 0
  var candles: Int64 = 0
  var failures: Int64 = 0
  var lastFailure: String?
  var seconds = Histogram.ofSeconds
}

/// Between the writer's thread and the loop's: commits that come before the loop runs wait here.
final class CommitRelay: Sendable {
  /// Held until the store is closed. A weak reference would make every retain and release of the daemon go by a side
  /// table, several a tick.
  private let daemon = Mutex<Daemon?>(nil)

  func begin(_ target: Daemon) { daemon.withLock { $0 = target } }
  func end() { daemon.withLock { $0 = nil } }

  func committed(_ commit: StoreCommit) {
    guard let target = daemon.withLock({ $0 }) else { return }
    let instant = MachineClock.now()
    target.loop.post { target.committed(commit, at: instant.monotonic) }
  }

  func failed(_ failure: StoreFailure) {
    guard let target = daemon.withLock({ $0 }) else { return }
    target.loop.post { target.commitFailed(failure) }
  }
}

extension Daemon {
  private func encoded(_ values: ContiguousArray<Double>) -> [UInt8] {
    let out = ByteWriter(capacity: 512)
    values.withUnsafeBufferPointer { CandleJSON.write($0, keys: hub.keys, to: out) }
    return out.array
  }

  /// Settled candles go to the writer's thread; they are published when it says that they are committed.
  func submitBatch() {
    guard let taken = engine.takeBatch() else { return }
    var batch = WriteBatch()
    batch.symbols = taken.symbols.map { ($0.id, $0.name) }
    batch.candles = taken.updates.indices.map { index in
      CandleRow(
        series: taken.updates[index].series, candle: taken.updates[index].candle,
        indicators: settings.storeIndicators ? taken.values[index].map(encoded) : nil)
    }
    batch.gaps = taken.gaps
    batch.lastVersion = taken.version
    batch.marks = [(Self.journalMark, Int64(journal.lastSequence))]
    if let now = engine.clock.now { batch.marks.append((Self.aliveMark, now)) }
    sequences.append((taken.version, journal.lastSequence))
    submittedVersion = max(submittedVersion, taken.version)
    store.submit(batch)
  }

  /// - Parameter time: monotonic time at which the writer's thread reported it, in nanoseconds.
  func committed(_ commit: StoreCommit, at time: Int64) {
    commits.transactions += 1
    unpublishedCommits.append(time)
    commits.candles += Int64(commit.candles)
    commits.seconds.observe(commit.seconds)
    if storeError != nil {
      storeError = nil
      log.notice("the database takes writes again", ["path": store.path])
    }
    while let first = sequences.first, first.version <= commit.version {
      committedSequence = first.sequence
      sequences.removeFirst()
    }
    // The turns that follow publish.
    engine.stored(upTo: commit.version, limit: 0)
  }

  func commitFailed(_ failure: StoreFailure) {
    commits.failures += 1
    commits.lastFailure = failure.error.short
    if storeError != failure.error {
      log.error(
        "the database takes no writes; settled candles wait",
        [
          "error": "\(failure.error)", "retry_ms": "\(failure.retryMilliseconds)",
          "pending_bytes": "\(engine.pendingBytes)",
        ])
    }
    storeError = failure.error
  }

  /// Key of the database: server time at which the daemon was last known to live.
  static let aliveMark = "alive"
  /// Milliseconds between two of them when nothing else is written.
  static let aliveInterval: Milliseconds = 10_000

  /// Where a process ended is where the gap of its absence begins.
  func markAlive() {
    guard let now = engine.clock.now, engine.symbolCount > 0, now - lastAlive >= Self.aliveInterval else { return }
    lastAlive = now
    records.append(.alive(at: now))
  }
}

extension StoreReader {
  /// What a settler needs to go on with a symbol.
  func history(of name: String, rules: SettlementRules, openGap: StoredGap?) throws(StoreError) -> SymbolHistory {
    var candles: [[Candle]] = []
    var flatRun: Int32 = 0
    var begin = Milliseconds.max
    // The open and correctable slots of the longer timeframes are made of shorter candles: read from their beginning.
    if let newest = try lastCandle(symbol: name, timeframe: rules.shortest) {
      let settled = newest.openTime + rules.shortest.interval
      begin = settled - rules.correctionWindow - rules.shortest.interval
      for timeframe in rules.timeframes {
        var from = timeframe.openTime(of: begin)
        for longer in rules.timeframes where timeframe.divides(longer) {
          let hasBetween = rules.timeframes.contains { timeframe.divides($0) && $0.divides(longer) }
          if !hasBetween { from = min(from, longer.openTime(of: begin)) }
        }
        var recent = try self.candles(symbol: name, timeframe: timeframe, from: from, limit: .max)
        if recent.isEmpty { recent = try self.candles(symbol: name, timeframe: timeframe, limit: 1, newest: true) }
        candles.append(recent)
      }
      if newest.origin == .flat {
        let run = try self.candles(
          symbol: name, timeframe: rules.shortest, limit: Int(max(rules.flatLimit, 1)), newest: true)
        flatRun = Int32(run.reversed().prefix { $0.origin == .flat }.count)
      }
    } else {
      candles = Array(repeating: [], count: rules.timeframes.count)
    }
    return SymbolHistory(
      name: name, candles: candles, flatRun: flatRun, openGap: openGap.map { ($0.from, $0.reason) },
      missed: try gaps(symbol: name).filter { $0.reason == .missedTrades }.map {
        Gap(symbol: -1, from: $0.from, to: $0.to, reason: $0.reason, filled: $0.filled, version: $0.version)
      })
  }
}
