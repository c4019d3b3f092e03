import CandleCore
import CandleEngine
import CandleStore

extension StoreReader {
  /// What a fill needs to know of stored candles.
  /// - Parameters:
  ///   - root: position of the timeframe that is filled.
  ///   - asked: open times of the intervals, the end exclusive.
  ///   - warmUp: candles that indicators are warmed with; nil where none are computed.
  func fillReading(
    _ symbol: String, rules: SettlementRules, root: Int, asked: Range<Milliseconds>, warmUp: Int?
  ) throws(StoreError) -> FillReading {
    let timeframe = rules.timeframes[root]
    // The run of flat candles before decides how many may follow.
    var before = try candlesBefore(symbol: symbol, timeframe: timeframe, before: asked.lowerBound, count: 1)
    if before.first?.isEmpty ?? false {
      before = try candlesBefore(
        symbol: symbol, timeframe: timeframe, before: asked.lowerBound, count: Int(max(rules.flatLimit, 1)))
    }
    let (inside, through, end) = try followed(symbol, timeframe, asked, rules)
    var candles: [[Candle]] = []
    for (position, one) in rules.timeframes.enumerated() {
      guard rules.root(of: position) == root else {
        candles.append([])
        continue
      }
      if position == root {
        let slots = Self.slots(of: position, rules, asked.lowerBound..<end)
        let early = try self.candles(
          symbol: symbol, timeframe: one, from: slots.lowerBound, to: asked.lowerBound, limit: .max)
        let late = try self.candles(
          symbol: symbol, timeframe: one, from: max(end, inside.last.map { $0.openTime + 1 } ?? end),
          to: slots.upperBound, limit: .max)
        candles.append((early.count > before.count ? early : before) + inside + late)
      } else {
        let slots = Self.slots(of: position, rules, asked.lowerBound..<end)
        candles.append(
          try self.candles(
            symbol: symbol, timeframe: one, from: slots.lowerBound, to: slots.upperBound, limit: .max))
      }
    }
    var newest: [[Candle]] = []
    for one in rules.timeframes {
      newest.append(
        try warmUp.map { count throws(StoreError) in
          try self.candles(symbol: symbol, timeframe: one, limit: count, newest: true)
        } ?? [])
    }
    let gaps = try gaps(symbol: symbol)
    return FillReading(
      candles: candles, through: through,
      heardSince: min(
        try firstComplete(symbol: symbol, timeframe: timeframe) ?? .max,
        // Missed trades may lie before that: late ticks tell of them.
        gaps.first { $0.reason != .missedTrades }?.from ?? .max),
      gaps: gaps.filter { !$0.filled }.map {
        Gap(symbol: 0, from: $0.from, to: $0.to, reason: $0.reason, filled: false, version: $0.version)
      }, newest: newest)
  }

  /// The candles of the intervals, and the flat ones that follow up to the first with ticks.
  /// - Returns: up to where the candles are all there, and where the last one that may change ends.
  private func followed(
    _ symbol: String, _ timeframe: Timeframe, _ asked: Range<Milliseconds>, _ rules: SettlementRules
  ) throws(StoreError) -> (candles: [Candle], through: Milliseconds, end: Milliseconds) {
    var candles = try self.candles(
      symbol: symbol, timeframe: timeframe, from: asked.lowerBound, to: asked.upperBound, limit: .max)
    var end = asked.upperBound
    while true {
      let page = try self.candles(symbol: symbol, timeframe: timeframe, from: end, limit: 500)
      for candle in page {
        candles.append(candle)
        end = candle.openTime + timeframe.interval
        if !candle.isEmpty { return (candles, end, end) }
      }
      if page.count < 500 { break }
    }
    // Where there are no more, flat ones may come up to the limit.
    return (candles, end + Int64(rules.flatLimit) * timeframe.interval, end)
  }

  /// The slots of the next longer timeframes, and of this one, that a stretch touches.
  private static func slots(
    of position: Int, _ rules: SettlementRules, _ stretch: Range<Milliseconds>
  ) -> Range<Milliseconds> {
    var from = stretch.lowerBound
    var to = stretch.upperBound
    for (other, longer) in rules.timeframes.enumerated() where other == position || rules.divider(of: other) == position
    {
      from = min(from, longer.openTime(of: stretch.lowerBound))
      to = max(to, longer.nextBoundary(after: stretch.upperBound - 1))
    }
    return from..<to
  }
}
