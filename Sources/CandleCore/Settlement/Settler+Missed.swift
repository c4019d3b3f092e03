/// Trades that are known to be missing.
extension Settler {
  /// Whether all candles that end after a moment and were settled are still here; others only the store has.
  public func remembers(from time: Milliseconds) -> Bool {
    guard started else { return true }
    for position in 0..<count where series[position].hasForgotten {
      guard let first = series[position].recent.first, first.openTime <= time else { return false }
    }
    return true
  }

  /// Trades between two event times did not come, both included: the candles they would be in are not complete.
  /// - Parameter stored: by position of the timeframe, candles that only the store has, as for `missStored`; empty where
  ///   there are none.
  public mutating func miss(
    from: Milliseconds, to: Milliseconds, stored: [[Candle]] = [], now: Milliseconds,
    into output: inout SettlementOutput
  ) {
    guard started else { return }
    finishFrame(now: now, into: &output)
    let longest = series[count - 1].slotOpen
    let horizon = min(now, longest) &- rules.correctionWindow &- rules.shortest.interval
    for range in untold(from...to, at: 0, stored).ranges {
      listening.miss(from: range.lowerBound, to: range.upperBound &- 1, horizon: horizon)
    }
    for position in 0..<count {
      let interval = series[position].timeframe.interval
      let missed = untold(from...to, at: series[position].root, stored)
      for index in series[position].recent.indices {
        let candle = series[position].recent[index]
        guard candle.complete, missed.overlaps(candle.openTime..<candle.openTime &+ interval) else { continue }
        series[position].recent[index].complete = false
        series[position].recent[index].touched = true
      }
    }
    // No price changes, so nothing that follows does.
    emitTouched(into: &output)
  }

  /// The same for candles that only the store has; before `miss`.
  /// - Parameter stored: by position of the timeframe, oldest first, the latest state of all that touch the stretch.
  public mutating func missStored(
    from: Milliseconds, to: Milliseconds, _ stored: [[Candle]], into output: inout SettlementOutput
  ) {
    var touched: [(end: Milliseconds, position: Int, candle: Candle)] = []
    for position in 0..<count {
      let interval = series[position].timeframe.interval
      let missed = untold(from...to, at: series[position].root, stored)
      let first = series[position].recent.first?.openTime ?? .max
      for candle in stored[position] where candle.openTime < first && candle.complete {
        guard missed.overlaps(candle.openTime..<candle.openTime &+ interval) else { continue }
        touched.append((candle.openTime &+ interval, position, candle))
      }
    }
    touched.sort { ($0.end, $0.position) < ($1.end, $1.position) }
    for (_, position, candle) in touched {
      guard var settlement = candle.settlement else { continue }
      settlement.revision += 1
      settlement.version = output.nextVersion()
      var candle = candle
      candle.complete = false
      candle.settlement = settlement
      output.updates.append(
        CandleUpdate(
          series: SeriesKey(symbol: symbol, timeframe: series[position].timeframe), kind: .corrected, candle: candle))
    }
  }

  /// An earlier process has missed trades between two event times.
  public mutating func restoreMissed(_ from: Milliseconds, _ to: Milliseconds) {
    // Without a stored candle the open ones are known from the ticks that are given back, later.
    let horizon =
      started ? series[count - 1].slotOpen &- rules.correctionWindow &- rules.shortest.interval : .min
    if to >= horizon { listening.miss(from: from, to: to, horizon: horizon) }
  }

  /// What of a stretch no history source has told.
  private func untold(
    _ stretch: ClosedRange<Milliseconds>, at root: Int, _ stored: [[Candle]]
  ) -> RangeList {
    let interval = series[root].timeframe.interval
    var left = RangeList([stretch.lowerBound..<stretch.upperBound &+ 1])
    for candle in stored.isEmpty ? [] : stored[root] where candle.origin == .history && candle.complete {
      left.remove(candle.openTime..<candle.openTime &+ interval)
    }
    for candle in series[root].recent where candle.hasHistory && candle.complete {
      left.remove(candle.openTime..<candle.openTime &+ interval)
    }
    return left
  }
}
