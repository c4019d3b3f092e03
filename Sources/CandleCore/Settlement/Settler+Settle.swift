extension Settler {
  /// The next moment of the server clock at which something settles by clock, if no tick comes before; nil before the
  /// first tick.
  public var clockDue: Milliseconds? { started ? upper &+ rules.grace : nil }

  /// Settles by clock what ended `grace` ago.
  public mutating func settleByClock(now: Milliseconds, into output: inout SettlementOutput) {
    guard started, now &- rules.grace >= upper else { return }
    settle(upTo: now &- rules.grace, by: .clock, now: now, into: &output)
  }

  /// Settles every candle that ends at or before `limit`, in the order of the ends, the shorter first.
  mutating func settle(
    upTo limit: Milliseconds, by cause: SettledBy, now: Milliseconds, into output: inout SettlementOutput
  ) {
    while upper <= limit {
      let boundary = upper
      if nothingIsLeft(from: boundary) {
        for position in 0..<count { series[position].open(at: limit) }
        updateBounds()
        break
      }
      for position in 0..<count where series[position].slotEnd == boundary {
        settleSlot(position, by: cause, into: &output)
        series[position].open(at: boundary)
        series[position].prune(before: now &- rules.correctionWindow &- rules.shortest.interval)
      }
      updateBounds()
    }
  }

  /// Whether no slot that ends at `boundary` or later will hold a candle unless a tick comes: long silences are passed
  /// in one step.
  private func nothingIsLeft(from boundary: Milliseconds) -> Bool {
    for position in 0..<count where !series[position].forming.isEmpty || series[position].holdsCandle { return false }
    return !followsFlat || !listening.mayReach(after: boundary &- 1)
  }

  /// Whether an interval without ticks may yield a flat candle, if it is listened to.
  private var followsFlat: Bool {
    let newest = series[0].recent.count - 1
    guard rules.emptyCandles == .flat, newest >= 0 else { return false }
    return rules.flatLimit == 0 || series[0].recent[newest].flatRun < rules.flatLimit
  }

  private mutating func settleSlot(_ position: Int, by cause: SettledBy, into output: inout SettlementOutput) {
    let openTime = series[position].slotOpen
    let end = series[position].slotEnd
    if series[position].forming.isEmpty {
      guard !series[position].recent.isEmpty else { return }
      let listened = series[position].isRoot && followsFlat && listening.reaches(end: end)
      guard series[position].holdsCandle || listened else { return }
    }
    store(position, openTime: openTime, complete: listening.covers(openTime, end), by: cause, into: &output)
  }

  private mutating func store(
    _ position: Int, openTime: Milliseconds, complete: Bool, by cause: SettledBy, into output: inout SettlementOutput
  ) {
    // By pointer: what is read through the position can be copied whole, with a count of references for each list.
    let state = series + position
    let flat = state.pointee.forming.isEmpty
    var flatPrice = Fixed.zero
    var flatRun: Int32 = 0
    let newest = state.pointee.recent.count - 1
    if newest >= 0 {
      flatPrice = state.pointee.recent[newest].close
      if flat { flatRun = state.pointee.recent[newest].flatRun + 1 }
    } else if flat {
      flatRun = 1
    }
    let hasHistory = state.pointee.holdsHistory
    // What the end of a replay had cut was settled before.
    let before = state.pointee.reopened
    let settlement = Settlement(
      revision: before.map { $0.revision + 1 } ?? 0, settledBy: before?.settledBy ?? cause,
      version: output.nextVersion())
    state.pointee.recent.append(
      SettledCandle(
        openTime: openTime, builder: state.pointee.forming, flatPrice: flatPrice, flatRun: flatRun, complete: complete,
        settlement: settlement, hasHistory: hasHistory))
    output.updates.append(
      CandleUpdate(
        series: SeriesKey(symbol: symbol, timeframe: state.pointee.timeframe),
        kind: before == nil ? .closed : .corrected,
        candle: Candle(
          openTime: openTime, content: flat ? .flat(at: flatPrice) : state.pointee.forming.content,
          origin: hasHistory ? .history : flat ? .flat : .ticks, complete: complete, settlement: settlement)))
    for index in 0..<state.pointee.parents.count {
      let parent = series + state.pointee.parents[index]
      guard parent.pointee.isOpen(at: openTime) else { continue }
      parent.pointee.holdsCandle = true
      if hasHistory { parent.pointee.holdsHistory = true }
      if parent.pointee.divider == position { parent.pointee.forming.absorb(state.pointee.forming) }
    }
  }

  /// Settles what is open when the input of a replay ends: nothing is known about the rest of these intervals.
  public mutating func settleAtEnd(into output: inout SettlementOutput) {
    guard started else { return }
    for position in 0..<count {
      guard !series[position].forming.isEmpty || series[position].holdsCandle else { continue }
      store(position, openTime: series[position].slotOpen, complete: false, by: .end, into: &output)
      let end = series[position].slotEnd
      series[position].open(at: end)
    }
    updateBounds()
  }
}
