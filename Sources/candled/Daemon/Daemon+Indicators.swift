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
}
