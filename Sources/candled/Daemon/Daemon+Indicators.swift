import CandleCore
import CandleEngine
import CandleIndicators
import CandleStore

extension Daemon {
  /// Series of one read when indicators are warmed.
  private static let warmingBatch = 64

  /// Warms series that the database has candles of, a few at a time.
  /// - Parameter completion: on the loop's thread, at once if nothing is cold.
  func warm(_ series: [ColdSeries], _ completion: @escaping () -> Void) {
    guard let plan = engine.plan, !series.isEmpty else { return completion() }
    let part = Array(series.prefix(Self.warmingBatch))
    let rest = Array(series.dropFirst(Self.warmingBatch))
    let count = plan.configuration.warmUp
    let then = LoopBound(completion)
    store.read { store throws(StoreError) in
      var candles: [[Candle]] = []
      for one in part {
        candles.append(try store.candles(symbol: one.name, timeframe: one.timeframe, limit: count, newest: true))
      }
      return candles
    } completion: { [self] result in
      loop.post { [self] in
        switch result {
        case .success(let candles):
          let again = zip(part, candles).filter { !engine.warm($0, with: $1) }.map(\.0)
          warm(again + rest, then.value)
        case .failure(let error):
          log.error("indicators cannot be warmed", ["error": "\(error)"])
          then.value()
        }
        hub.takeEffects(carryOut)
      }
    }
  }
}

/// A closure of the loop's thread on its way through another one, where it is not called.
struct LoopBound: @unchecked Sendable {
  let value: () -> Void
  init(_ value: @escaping () -> Void) { self.value = value }
}

extension StoreReader {
  /// Indicator values of stored candles of one series, warmed with those before.
  /// - Parameter candles: oldest first, without holes between them.
  func values(
    of candles: [Candle], symbol: String, timeframe: Timeframe, plan: IndicatorPlan?
  ) throws(StoreError) -> [[Double]?] {
    guard let plan, let first = candles.first else { return candles.map { _ in nil } }
    let before = try candlesBefore(
      symbol: symbol, timeframe: timeframe, before: first.openTime, count: plan.configuration.warmUp)
    return IndicatorHistory.values(of: candles, after: before, plan: plan)
  }

  /// Indicator values of the candles of a replay, nil for its gaps.
  func values(of changes: [StoredChange], plan: IndicatorPlan?) throws(StoreError) -> [[Double]?] {
    guard let plan else { return changes.map { _ in nil } }
    var ranges: [StoredSeriesKey: ClosedRange<Milliseconds>] = [:]
    for case .candle(let row) in changes {
      let time = row.candle.openTime
      let key = StoredSeriesKey(row)
      let range = ranges[key] ?? time...time
      ranges[key] = min(range.lowerBound, time)...max(range.upperBound, time)
    }
    var values: [StoredSeriesKey: [Milliseconds: [Double]]] = [:]
    for (key, range) in ranges {
      let candles = try candles(
        symbol: key.symbol, timeframe: key.timeframe, from: range.lowerBound, to: range.upperBound + 1, limit: .max)
      let computed = try self.values(of: candles, symbol: key.symbol, timeframe: key.timeframe, plan: plan)
      for (candle, value) in zip(candles, computed) { values[key, default: [:]][candle.openTime] = value }
    }
    return changes.map { change in
      if case .candle(let row) = change { values[StoredSeriesKey(row)]?[row.candle.openTime] } else { nil }
    }
  }
}

private struct StoredSeriesKey: Hashable {
  var symbol: String
  var timeframe: Timeframe

  init(_ row: StoredCandle) {
    symbol = row.symbol
    timeframe = row.timeframe
  }
}
