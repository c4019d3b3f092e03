extension Settler {
  /// Works out what the late ticks of a frame changed: one revision a candle, in every timeframe.
  public mutating func finishFrame(now: Milliseconds, into output: inout SettlementOutput) {
    guard hasCorrections else { return }
    hasCorrections = false
    reconcile()
    emitTouched(into: &output)
  }

  mutating func reconcile() {
    for position in 0..<count { reconcile(position) }
  }

  /// Carries a changed close into the flat candles that follow it, and makes those that are missing: after a tick in a
  /// place where none was known, the silence behind it is a silence, no longer nothing.
  private mutating func reconcile(_ position: Int) {
    guard var index = series[position].recent.firstIndex(where: \.touched) else { return }
    while index < series[position].recent.count {
      let previous = index > 0 ? series[position].recent[index - 1] : nil
      var candle = series[position].recent[index]
      candle.flatRun = candle.isFlat ? (previous?.flatRun ?? 0) + 1 : 0
      if candle.isFlat, !candle.hasHistory, let close = previous?.close, candle.flatPrice != close {
        candle.flatPrice = close
        candle.touched = true
      }
      series[position].recent[index] = candle
      if series[position].isRoot, let missing = missingFlat(after: candle, index: index, at: position) {
        _ = insertLate(missing, at: position)
        for parent in series[position].parents { holdCandle(from: missing, in: parent) }
      }
      index += 1
    }
  }

  /// Open time of the first interval after a candle, and before the next one, that should hold a flat candle.
  private func missingFlat(after candle: SettledCandle, index: Int, at position: Int) -> Milliseconds? {
    guard rules.emptyCandles == .flat else { return nil }
    if position == 0, rules.flatLimit > 0, candle.flatRun >= rules.flatLimit { return nil }
    let interval = series[position].timeframe.interval
    let next = index + 1
    let limit =
      next < series[position].recent.count ? series[position].recent[next].openTime : series[position].slotOpen
    var slot = candle.openTime &+ interval
    while slot < limit {
      let end = slot &+ interval
      if listening.reaches(end: end), position == 0 || !isDormant(at: end) { return slot }
      slot = end
    }
    return nil
  }

  /// Whether the flat candles of the shortest timeframe had reached their limit at a boundary of another one.
  private func isDormant(at time: Milliseconds) -> Bool {
    guard rules.flatLimit > 0 else { return false }
    let interval = rules.shortest.interval
    let last = series[0].recent.last { $0.openTime &+ interval <= time }
    return (last?.flatRun ?? 0) >= rules.flatLimit
  }

  /// A shorter candle was made inside an interval of a longer timeframe, which therefore holds one too.
  private mutating func holdCandle(from openTime: Milliseconds, in parent: Int) {
    let slot = series[parent].timeframe.openTime(of: openTime)
    if slot == series[parent].slotOpen {
      series[parent].holdsCandle = true
    } else if series[parent].index(of: slot) == nil {
      _ = insertLate(slot, at: parent)
    }
  }

  /// The settled candles of a timeframe that may still be corrected, from a moment on, oldest first.
  public func settled(_ position: Int, from openTime: Milliseconds) -> [Candle] {
    series[position].recent.lazy.filter { $0.openTime >= openTime }.map(\.candle)
  }

  /// Gives a settled candle its next revision, although its content is what it was: something that is published with
  /// it has changed.
  public mutating func restate(
    _ openTime: Milliseconds, at position: Int, into output: inout SettlementOutput
  ) {
    guard let index = series[position].index(of: openTime) else { return }
    restate(index, at: position, into: &output)
  }

  mutating func emitTouched(into output: inout SettlementOutput) {
    var touched: [(end: Milliseconds, position: Int, openTime: Milliseconds)] = []
    for position in 0..<count {
      for candle in series[position].recent where candle.touched {
        touched.append((candle.openTime &+ series[position].timeframe.interval, position, candle.openTime))
      }
    }
    touched.sort { ($0.end, $0.position) < ($1.end, $1.position) }
    for (_, position, openTime) in touched {
      guard let index = series[position].index(of: openTime) else { continue }
      restate(index, at: position, into: &output)
    }
  }

  /// Gives a settled candle its next revision (the first, if a late tick has just made it) and publishes it.
  private mutating func restate(_ index: Int, at position: Int, into output: inout SettlementOutput) {
    var candle = series[position].recent[index]
    if candle.settlement.version > 0 { candle.settlement.revision += 1 }
    candle.settlement.version = output.nextVersion()
    candle.touched = false
    series[position].recent[index] = candle
    output.updates.append(
      CandleUpdate(
        series: SeriesKey(symbol: symbol, timeframe: series[position].timeframe), kind: .corrected,
        candle: candle.candle))
  }
}
