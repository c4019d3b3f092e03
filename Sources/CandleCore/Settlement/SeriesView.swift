/// Settled candles of one series as a fill sees them: stored ones, and above them those that the settler still holds.
struct SeriesView {
  private(set) var candles: [SettledCandle]

  init(stored: [Candle], interval: Milliseconds, recent: RecentCandles) {
    let first = recent.first?.openTime ?? .max
    candles = stored.compactMap { candle in
      guard candle.openTime < first else { return nil }
      return candle.settlement.map { SettledCandle(restoring: candle, $0, interval: interval) }
    }
    candles += recent
  }

  /// Position of the first candle that opens at `openTime` or later.
  func lowerBound(_ openTime: Milliseconds) -> Int {
    var low = 0
    var high = candles.count
    while low < high {
      let middle = (low + high) / 2
      if candles[middle].openTime < openTime { low = middle + 1 } else { high = middle }
    }
    return low
  }

  func index(of openTime: Milliseconds) -> Int? {
    let at = lowerBound(openTime)
    return at < candles.count && candles[at].openTime == openTime ? at : nil
  }

  func inside(_ slot: Range<Milliseconds>) -> ArraySlice<SettledCandle> {
    candles[lowerBound(slot.lowerBound)..<lowerBound(slot.upperBound)]
  }

  subscript(index: Int) -> SettledCandle {
    get { candles[index] }
    set { candles[index] = newValue }
  }

  /// Puts a candle where none is.
  mutating func insert(_ candle: SettledCandle, at index: Int) { candles.insert(candle, at: index) }
}
