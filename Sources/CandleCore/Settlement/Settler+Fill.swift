extension Settler {
  /// Fills intervals of a timeframe that takes ticks with what a history source says of them. What is complete from
  /// ticks stays as it is; all else is replaced whole, and the longer candles are folded anew.
  /// - Parameters:
  ///   - intervals: oldest first, each once, settled: their end and grace have passed.
  ///   - root: position of their timeframe.
  ///   - now: server time; nil while it is not known.
  public mutating func fill(
    _ intervals: [FilledInterval], at root: Int, basis: FillBasis, now: Milliseconds?,
    into output: inout SettlementOutput
  ) -> FillOutcome {
    let nothing = FillOutcome(changedFrom: Array(repeating: nil, count: count))
    guard let last = intervals.last, !hasCorrections else { return nothing }
    if !started {
      // A symbol begins with its first trade.
      guard intervals.contains(where: { $0.content != nil }) else {
        var outcome = nothing
        outcome.known = intervals.map(\.openTime)
        // A late tick may still begin before them.
        for openTime in outcome.known { listening.learn(openTime, openTime &+ series[root].timeframe.interval) }
        return outcome
      }
      started = true
      for position in 0..<count { series[position].open(at: last.openTime &+ series[root].timeframe.interval) }
      updateBounds()
    }
    let views = (0..<count).map { position in
      SeriesView(
        stored: basis.candles[position], interval: series[position].timeframe.interval, recent: series[position].recent)
    }
    var filling = Filling(
      rules: rules, root: root, basis: basis, views: views, settledUntil: series[root].slotOpen, listening: listening,
      outcome: nothing)
    filling.fillRoot(intervals)
    for openTime in filling.outcome.known {
      listening.learn(openTime, openTime &+ series[root].timeframe.interval)
    }
    filling.listening = listening
    for position in 0..<count where position != root && series[position].root == root {
      for slot in filling.slots(at: position) {
        if slot.lowerBound < series[position].slotOpen {
          filling.fold(slot, at: position)
        } else if slot.lowerBound == series[position].slotOpen {
          refoldOpenSlot(position, filling)
        }
      }
    }
    return emit(&filling, now: now, into: &output)
  }

  /// The settled parts of an open slot, after some of them changed.
  private mutating func refoldOpenSlot(_ position: Int, _ filling: Filling) {
    let slot = series[position].slotOpen..<series[position].slotEnd
    guard let divider = series[position].divider else { return }
    let parts = filling.views[divider].inside(slot)
    series[position].forming = filling.builder(of: parts)
    series[position].holdsHistory = parts.contains(where: \.hasHistory)
    if !parts.isEmpty { series[position].holdsCandle = true }
    // All of it so far is known: it is as if it had been listened to.
    if let last = parts.last, filling.isComplete(slot.lowerBound..<series[divider].slotOpen, partsOf: position) {
      listening.learn(slot.lowerBound, last.openTime &+ series[divider].timeframe.interval)
    }
    updateBounds()
  }

  /// Gives every changed candle its next revision, in the order of the ends, and keeps what may still be corrected.
  private mutating func emit(
    _ filling: inout Filling, now: Milliseconds?, into output: inout SettlementOutput
  ) -> FillOutcome {
    let horizon = now.map { $0 &- rules.correctionWindow } ?? .min
    var touched: [(end: Milliseconds, position: Int, openTime: Milliseconds)] = []
    for position in 0..<count {
      for openTime in filling.touched[position] {
        touched.append((openTime &+ series[position].timeframe.interval, position, openTime))
      }
    }
    touched.sort { ($0.end, $0.position) < ($1.end, $1.position) }
    for (_, position, openTime) in touched {
      guard let index = filling.views[position].index(of: openTime) else { continue }
      var candle = filling.views[position][index]
      if candle.settlement.version > 0 { candle.settlement.revision += 1 }
      candle.settlement.version = output.nextVersion()
      keep(candle, at: position, correctableAfter: horizon)
      output.updates.append(
        CandleUpdate(
          series: SeriesKey(symbol: symbol, timeframe: series[position].timeframe), kind: .corrected,
          candle: candle.candle))
      let first = filling.outcome.changedFrom[position] ?? .max
      filling.outcome.changedFrom[position] = min(first, openTime)
    }
    return filling.outcome
  }

  /// What a late tick may still be in, or a flat candle follows, stays known: nothing that was forgotten lies behind it.
  private mutating func keep(_ candle: SettledCandle, at position: Int, correctableAfter horizon: Milliseconds) {
    if let index = series[position].index(of: candle.openTime) {
      series[position].recent[index] = candle
    } else if candle.openTime > series[position].recent.first?.openTime ?? .min
      || candle.openTime &+ series[position].timeframe.interval > horizon
    {
      _ = series[position].insert(candle)
    } else {
      series[position].hasForgotten = true
    }
  }
}
