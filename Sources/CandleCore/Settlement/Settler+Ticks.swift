extension Settler {
  /// A tick that opens a new slot somewhere, or belongs to a settled one.
  @usableFromInline @inline(never)
  func refusalOutside(_ tick: borrowing Tick, time: Milliseconds, now: Milliseconds) -> RefusalReason? {
    // What opens a candle lies in no settled one.
    if started, !(time >= upper && anyVolumeFits) {
      for position in 0..<count {
        let openTime = series[position].timeframe.openTime(of: time)
        if openTime == series[position].slotOpen {
          if !openFits(tick, position) { return .overflow }
        } else if openTime < series[position].slotOpen, let index = series[position].index(of: openTime) {
          if !series[position].recent[index].builder.fits(tick) { return .overflow }
        }
      }
    }
    if isTooFarAhead(time, now) { return .tooFarAhead }
    let settled = !started || time < series[0].slotOpen
    if settled, now >= rules.shortest.nextBoundary(after: time) &+ rules.correctionWindow { return .tooLate }
    return nil
  }

  /// Whether a tick fits into the open candle of a timeframe.
  private func openFits(_ tick: borrowing Tick, _ position: Int) -> Bool {
    // Without ticks of its own the open slot of a root holds nothing.
    if series[position].isRoot {
      if series[position].forming.isEmpty { return true }
      return series[position].forming.fits(tick)
    }
    return builder(position).fits(tick)
  }

  @usableFromInline @inline(never)
  mutating func takeOutside(
    _ tick: borrowing Tick, time: Milliseconds, now: Milliseconds, into output: inout SettlementOutput
  ) {
    if !started {
      started = true
      for position in 0..<count { series[position].open(at: time) }
      updateBounds()
    } else if time >= upper {
      // What follows flat must follow the candles as the late ticks of this frame have left them.
      if hasCorrections { reconcile() }
      settle(upTo: time, by: .tick, now: now, into: &output)
    }
    let turnover = FixedSum.product(tick.price, tick.volume)
    if isSuperseded(time, at: 0) { superseded &+= 1 }
    for position in 0..<count where !isSuperseded(time, at: series[position].root) {
      let openTime = series[position].timeframe.openTime(of: time)
      if openTime == series[position].slotOpen {
        // What lies in the open slot of the divider comes with it.
        if let divider = series[position].divider, series[divider].isOpen(at: time) { continue }
        series[position].forming.add(tick, turnover: turnover)
      } else {
        addLate(tick, turnover: turnover, to: openTime, at: position)
      }
    }
    if time > lastTick ?? .min { lastTick = time }
  }

  /// Whether a history source has said what the candle of a tick holds.
  private func isSuperseded(_ time: Milliseconds, at root: Int) -> Bool {
    let openTime = series[root].timeframe.openTime(of: time)
    guard openTime < series[root].slotOpen, let index = series[root].index(of: openTime) else { return false }
    return series[root].recent[index].hasHistory
  }

  /// Adds a tick to a settled candle, or makes one where none is stored.
  private mutating func addLate(
    _ tick: borrowing Tick, turnover: FixedSum, to openTime: Milliseconds, at position: Int
  ) {
    hasCorrections = true
    let index = series[position].index(of: openTime) ?? insertLate(openTime, at: position)
    series[position].recent[index].builder.add(tick, turnover: turnover)
    series[position].recent[index].touched = true
  }

  /// A candle where none was stored, still without content; version 0 until the frame is finished.
  mutating func insertLate(_ openTime: Milliseconds, at position: Int) -> Int {
    series[position].insert(
      SettledCandle(
        openTime: openTime, builder: .empty, flatPrice: .zero, flatRun: 0,
        complete: listening.covers(openTime, openTime &+ series[position].timeframe.interval),
        settlement: Settlement(revision: 0, settledBy: .tick, version: 0, bornLate: true), touched: true))
  }
}
