import CandleCore
import CandleEngine
import CandleStore

extension Daemon {
  /// Nanoseconds between two rounds of retention.
  private static let retentionInterval: Int64 = 60_000_000_000

  /// Deletes what is older than `retention` wants, in small steps between the writer's batches.
  func retainCandles() {
    guard !settings.retention.isEmpty, !isStopping, instant.monotonic >= nextRetention, let now = engine.clock.now
    else {
      return
    }
    nextRetention = instant.monotonic + Self.retentionInterval
    for (timeframe, keep) in settings.retention {
      store.retain(timeframe, from: now - keep) { [self] result in
        switch result {
        case .success(0): break
        case .success(let count):
          loop.post { [self] in
            retainedCandles += count
            readDroppedVersion()
          }
        case .failure(let error):
          log.warning("old candles were not deleted", ["timeframe": timeframe.name, "error": "\(error)"])
        }
      }
    }
    retainGaps(now)
  }

  /// A gap without candles beside it says nothing; one goes with the last candles that it is about.
  private func retainGaps(_ now: Milliseconds) {
    let kept = engine.timeframes.map { settings.retention[$0] ?? .max }.max() ?? .max
    guard kept < .max else { return }
    store.retainGaps(from: now - kept) { [self] result in
      switch result {
      case .success(0): break
      case .success: loop.post { [self] in readDroppedVersion() }
      case .failure(let error): log.warning("old gaps were not deleted", ["error": "\(error)"])
      }
    }
  }

  private func readDroppedVersion() {
    store.read { store throws(StoreError) in
      try store.droppedVersion()
    } completion: { [self] result in
      loop.post { [self] in
        if case .success(let version) = result { hub.droppedVersion = version }
      }
    }
  }
}
