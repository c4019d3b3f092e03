import CandleCore
import CandleStore

/// Builds the candles of a timeframe that is new in the configuration from stored shorter ones.
struct TimeframeBuilder {
  /// Candles of one batch.
  private static let batchSize = 10_000

  let store: CandleStore
  let timeframes: [Timeframe]
  var version: Int64

  /// - Returns: the number of candles built.
  mutating func build() throws(StoreError) -> Int {
    let stored = try store.readNow { reader throws(StoreError) in try reader.series() }
    var built = 0
    // The engine names its symbols anew, so these numbers need not be its own.
    for (number, symbol) in zip(0..<Int32.max, Set(stored.map(\.symbol)).sorted()) {
      var known = Set(stored.filter { $0.symbol == symbol }.map(\.timeframe))
      for timeframe in timeframes where !known.contains(timeframe) {
        guard let source = known.filter({ $0.divides(timeframe) }).max() else { continue }
        built += try build(timeframe, from: source, of: symbol, number: number)
        known.insert(timeframe)
      }
    }
    return built
  }

  private mutating func build(
    _ timeframe: Timeframe, from source: Timeframe, of symbol: String, number: Int32
  ) throws(StoreError) -> Int {
    let (parts, gaps) = try store.readNow { reader throws(StoreError) in
      (
        try reader.candles(symbol: symbol, timeframe: source, limit: .max),
        try reader.gaps(symbol: symbol)
      )
    }
    guard let first = parts.first, let last = parts.last else { return 0 }
    var batch = WriteBatch()
    batch.symbols = [(number, symbol)]
    var built = 0
    var index = 0
    while index < parts.count {
      let slot = timeframe.openTime(of: parts[index].openTime)
      let end = slot + timeframe.interval
      var next = index
      while next < parts.count, parts[next].openTime < end { next += 1 }
      // What is still open goes on forming from the shorter candles.
      if end > last.openTime + source.interval { break }
      version += 1
      let whole =
        !gaps.contains { $0.from < end && ($0.to ?? .max) > slot } && !(index == 0 && first.openTime > slot)
      batch.candles.append(
        CandleRow(
          series: SeriesKey(symbol: number, timeframe: timeframe),
          candle: Self.fold(parts[index..<next], openTime: slot, whole: whole, version: version)))
      built += 1
      index = next
      if batch.candles.count == Self.batchSize || index == parts.count {
        submit(&batch)
      }
    }
    submit(&batch)
    return built
  }

  private func submit(_ batch: inout WriteBatch) {
    guard !batch.candles.isEmpty else { return }
    batch.lastVersion = version
    store.submit(batch)
    batch.candles = []
  }

  /// - Parameter whole: the interval was listened to.
  static func fold(_ parts: ArraySlice<Candle>, openTime: Milliseconds, whole: Bool, version: Int64) -> Candle {
    let trading = parts.filter { $0.origin != .flat }
    let settlement = Settlement(
      revision: 0, settledBy: parts.last?.settlement?.settledBy ?? .clock, version: version)
    let complete = whole && parts.allSatisfy(\.complete)
    guard let first = trading.first, let last = trading.last else {
      return Candle(
        openTime: openTime, content: .flat(at: parts.last?.content.close ?? .zero), origin: .flat, complete: complete,
        settlement: settlement)
    }
    var content = first.content
    for part in trading.dropFirst() {
      content.high = max(content.high, part.content.high)
      content.low = min(content.low, part.content.low)
      _ = content.volume.add(part.content.volume)
      content.turnover = sum(content.turnover, part.content.turnover)
      content.takerBuyVolume = sum(content.takerBuyVolume, part.content.takerBuyVolume)
      content.ticks = content.ticks.flatMap { count in part.content.ticks.map { count + $0 } }
    }
    content.close = last.content.close
    return Candle(
      openTime: openTime, content: content, origin: trading.contains { $0.origin == .history } ? .history : .ticks,
      complete: complete, settlement: settlement)
  }

  private static func sum(_ a: FixedSum?, _ b: FixedSum?) -> FixedSum? {
    guard var sum = a, let b, sum.add(b) else { return nil }
    return sum
  }
}
