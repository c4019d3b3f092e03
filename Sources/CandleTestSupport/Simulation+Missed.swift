import CandleCore
import CandleEngine

/// Trades that are lost in a connection that is dead already and has not been noticed to be, of a venue that numbers its
/// trades without holes.
struct NumberedTrades {
  /// Nothing arrives until the connection is found to be lost.
  var isDeaf = false
  private var last: (id: UInt64, time: Milliseconds)?
  /// Begin of the last gap since.
  private var gap: Milliseconds?
  private(set) var missed: [CandleModel.Stretch] = []

  mutating func accepted(_ tick: Tick) {
    if let last, tick.id.low > last.id + 1 {
      let end = gap ?? tick.time.milliseconds
      // What lies in a gap is unknown anyway.
      if gap == nil || last.time < end {
        missed.append(CandleModel.Stretch(from: min(last.time, end), to: max(last.time, end)))
      }
    }
    last = (tick.id.low, tick.time.milliseconds)
    gap = nil
  }

  mutating func disconnected(at time: Milliseconds) {
    isDeaf = false
    gap = time
  }
}

extension Simulation {
  /// What the store is read for, at some moment while life goes on.
  /// - Returns: false if nothing waits.
  @discardableResult
  mutating func missSome() throws -> Bool {
    guard let missed = engine.takeMissedTrades() else { return false }
    if random.chance(1, in: 6) {
      engine.retryMissedTrades()
      return true
    }
    if random.chance(1, in: 2) { try exchangeWithStore() }
    let name = engine.name(of: missed.symbol)
    let candles = rules.timeframes.map { timeframe in
      database.candles(name, timeframe).filter {
        $0.openTime <= missed.to && $0.openTime + timeframe.interval > missed.from
      }
    }
    let reading = MissedReading(candles: candles, values: candles.map { $0.map { _ in nil } })
    for _ in 0..<random.int(0...2) {
      pass(random.int64(0...3_000))
      engine.tick(at: instant)
      try exchangeWithStore()
    }
    engine.finishMissedTrades(reading, at: instant)
    return true
  }

  /// What is missing and no source has told since.
  func missedStretches(_ number: Int) -> [CandleModel.Stretch] {
    let interval = rules.shortest.interval
    let candles = checker.stored[SeriesKey(symbol: symbols[number], timeframe: rules.shortest)] ?? [:]
    var left = RangeList(numbered[number].missed.map { $0.from..<$0.to + 1 })
    for openTime in known[number] where candles[openTime].map(\.complete) ?? true {
      left.remove(openTime..<openTime + interval)
    }
    return left.ranges.map { CandleModel.Stretch(from: $0.lowerBound, to: $0.upperBound - 1) }
  }
}
