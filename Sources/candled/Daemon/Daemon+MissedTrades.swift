import CandleCore
import CandleEngine
import CandleStore

/// Holes in trade ids that reach back to candles which only the store has.
extension Daemon {
  /// Nanoseconds until the store is read again after it failed.
  private static let missedPause: Int64 = 5_000_000_000

  func readMissedTrades() {
    guard instant.monotonic >= missedDue, let missed = engine.takeMissedTrades() else { return }
    let name = engine.name(of: missed.symbol)
    let timeframes = engine.timeframes
    let plan = settings.storeIndicators ? engine.plan : nil
    let generation = indicatorGeneration
    store.read { store throws(StoreError) in
      var candles: [[Candle]] = []
      var values: [[ContiguousArray<Double>?]] = []
      for timeframe in timeframes {
        let stored = try store.candles(
          symbol: name, timeframe: timeframe, from: timeframe.openTime(of: missed.from), to: missed.to + 1, limit: .max)
        candles.append(stored)
        values.append(
          try store.values(of: stored, symbol: name, timeframe: timeframe, plan: plan).map { $0.map { .init($0) } })
      }
      return MissedReading(candles: candles, values: values)
    } completion: { [self] result in
      loop.post { [self] in
        instant = MachineClock.now()
        switch result {
        case .success(let reading) where generation == indicatorGeneration:
          engine.finishMissedTrades(reading, at: instant)
        case .success: engine.retryMissedTrades()
        case .failure(let error):
          engine.retryMissedTrades()
          missedDue = instant.monotonic + Self.missedPause
          log.error("stored candles cannot be read for missed trades", ["symbol": name, "error": "\(error)"])
        }
      }
    }
  }

  /// The venues that number their trades without holes, of each symbol that a configured feed carries.
  var contiguousVenues: [String: Set<UInt32>] {
    var venues: [String: Set<UInt32>] = [:]
    for feed in settings.feeds where feed.contiguousIDs {
      for symbol in feed.symbols { venues[symbol.name, default: []].insert(feed.venueNumber) }
    }
    return venues
  }
}
