import CandleCore
import CandleIndicators
import CandleStore

/// The indicators of the series of one replay, kept from page to page: a series is warmed once, then stepped from row to
/// row.
///
/// Used by one read at a time.
final class ReplayIndicators: @unchecked Sendable {
  /// Series that are kept at most; beyond, all are forgotten and warmed anew.
  private static let maximumSeries = 10_000
  /// Candles between two rows of a series that are rather stepped over than warmed anew.
  private static let longestStep = 200

  private struct Key: Hashable {
    var symbol: String
    var timeframe: Timeframe
  }

  private struct State {
    var indicators: IndicatorSet
    /// Open time of the last committed candle.
    var last: Milliseconds
  }

  private let plan: IndicatorPlan
  private var states: [Key: State] = [:]

  init(plan: IndicatorPlan) { self.plan = plan }

  /// Indicator values of the candles of a page, nil for its gaps.
  func values(of changes: [StoredChange], _ store: StoreReader) throws(StoreError) -> [[Double]?] {
    var values: [[Double]?] = []
    values.reserveCapacity(changes.count)
    for change in changes {
      if case .candle(let row) = change { values.append(try self.values(of: row, store)) } else { values.append(nil) }
    }
    return values
  }

  private func values(of row: StoredCandle, _ store: StoreReader) throws(StoreError) -> [Double] {
    let key = Key(symbol: row.symbol, timeframe: row.timeframe)
    let openTime = row.candle.openTime
    if let state = states[key], state.last < openTime,
      openTime - state.last <= Milliseconds(Self.longestStep) * row.timeframe.interval
    {
      // Nearly always this is the row alone.
      let between =
        openTime - state.last == row.timeframe.interval
        ? []
        : try store.candles(
          symbol: row.symbol, timeframe: row.timeframe, from: state.last + 1, to: openTime, limit: .max)
      return commit(between, row, state.indicators, key)
    }
    let before = try store.candlesBefore(
      symbol: row.symbol, timeframe: row.timeframe, before: openTime, count: plan.configuration.warmUp)
    if states.count >= Self.maximumSeries { states = [:] }
    return commit(before, row, IndicatorSet(plan: plan), key)
  }

  private func commit(_ before: [Candle], _ row: StoredCandle, _ indicators: IndicatorSet, _ key: Key) -> [Double] {
    let count = plan.keys.count
    // An older row is a correction; what follows it in the replay is mostly newer than what was before.
    let isNewest = row.candle.openTime > states[key]?.last ?? .min
    let values = withUnsafeTemporaryAllocation(of: Double.self, capacity: max(1, count)) { buffer in
      for candle in before { indicators.commit(candle.content, into: buffer.baseAddress!) }
      indicators.commit(row.candle.content, into: buffer.baseAddress!)
      return Array(buffer.prefix(count))
    }
    if isNewest { states[key] = State(indicators: indicators, last: row.candle.openTime) }
    return values
  }
}
