extension Settler {
  /// Takes up a symbol where the stored candles leave it; only before the first tick.
  ///
  /// Ticks that a journal has of these candles follow with `reclaim(_:)`, then `finishRestore()`.
  /// - Parameters:
  ///   - history: by position of the timeframe, the newest stored candles, oldest first: at least the last one, those
  ///     of the correction window, and those inside the open or correctable slots of the longer timeframes.
  ///   - flatRun: flat candles in a row at the end of the shortest timeframe.
  public mutating func restore(_ history: [[Candle]], flatRun: Int32) {
    guard !started, history.contains(where: { !$0.isEmpty }) else { return }
    started = true
    // Whatever ended with the last settled candle, or before, is settled in every timeframe. Candles that the end of a
    // replay has cut go on, if nothing has settled behind them.
    let settledUntil = (0..<count).compactMap { position in
      history[position].last.map { candle in
        candle.isCut ? candle.openTime : candle.openTime &+ series[position].timeframe.interval
      }
    }.max()
    for position in 0..<count {
      let interval = series[position].timeframe.interval
      if let settledUntil { series[position].open(at: settledUntil) }
      series[position].recent = RecentCandles(
        history[position].compactMap { candle in
          candle.settlement.map { SettledCandle(restoring: candle, $0, interval: interval) }
        })
      if let last = series[position].recent.last, history[position].last?.isCut ?? false,
        last.openTime == series[position].slotOpen
      {
        series[position].recent.removeLast()
        if series[position].isRoot {
          series[position].forming = last.builder
          // What comes now came after all of that.
          series[position].forming.close.time = series[position].forming.open.time
        }
        series[position].holdsCandle = true
        series[position].holdsHistory = last.hasHistory
        series[position].reopened = last.settlement
      }
      series[position].hasForgotten = !history[position].isEmpty
      number(position, lastRun: position == 0 ? flatRun : nil)
    }
  }

  /// Up to where something is known of a symbol that was replayed or imported and never listened to; nil where it was.
  /// - Parameter wasAlive: whether a daemon has run on the database.
  public func toldUntil(wasAlive: Bool) -> Milliseconds? {
    guard started, listening.wasNever, lastTick == nil else { return nil }
    for position in 0..<count where series[position].reopened != nil { return series[0].slotOpen }
    return wasAlive ? nil : series[0].slotOpen
  }

  /// Something behind the newest tick of a replay was not heard, even where listening begins with the slot that it cut.
  public mutating func missCut() {
    let slot = series[0].slotOpen
    for position in 0..<count where series[position].reopened != nil {
      return listening.miss(from: slot, to: slot, horizon: .min)
    }
  }

  /// Whether the open slot of a timeframe is stored, as the end of a replay has cut it.
  public func isReopened(_ position: Int) -> Bool { series[position].reopened != nil }

  /// Gives back a tick that the stored candles count already, or that is in a candle which is still open: what decides
  /// between ticks of one instant, and what a candle that was not stored yet holds, is known from the ticks alone.
  public mutating func reclaim(_ tick: borrowing Tick) {
    let time = tick.time.milliseconds
    started = true
    // Behind the last stored candle there may be intervals that held none.
    for position in 0..<count where time >= series[position].slotEnd { series[position].open(at: time) }
    let turnover = FixedSum.product(tick.price, tick.volume)
    for position in 0..<count where series[position].isRoot {
      let openTime = series[position].timeframe.openTime(of: time)
      if openTime >= series[position].slotOpen {
        series[position].forming.add(tick, turnover: turnover)
      } else if series[position].index(of: openTime) != nil {
        series[position].reclaimed[openTime, default: .empty].add(tick, turnover: turnover)
      }
    }
    if time > lastTick ?? .min { lastTick = time }
  }

  /// After the last tick was given back: settled candles of which all ticks came are exact again, and open slots go on
  /// from the shorter candles inside them.
  public mutating func finishRestore() {
    guard started else { return }
    learnAnew()
    for position in 0..<count {
      for index in series[position].recent.indices {
        let openTime = series[position].recent[index].openTime
        if let divider = series[position].divider {
          let slot = openTime..<openTime &+ series[position].timeframe.interval
          series[position].recent[index].take(folded(slot, from: divider))
        } else if let ticks = series[position].reclaimed[openTime], !series[position].recent[index].hasHistory {
          // What a source said stands above the ticks that came.
          series[position].recent[index].take(ticks)
        }
      }
      series[position].reclaimed = [:]
      guard let divider = series[position].divider else { continue }
      let slot = series[position].slotOpen..<series[position].slotEnd
      series[position].forming = folded(slot, from: divider)
      // Also one of a timeframe that is not its longest divider.
      for shorter in 0..<position where series[shorter].parents.contains(position) {
        for candle in series[shorter].recent where slot.contains(candle.openTime) {
          series[position].holdsCandle = true
          if candle.hasHistory { series[position].holdsHistory = true }
        }
      }
    }
    updateBounds()
  }

  /// What a source has told is known from the candles alone. Where it said that nothing was traded they are flat, and
  /// complete although nobody listened to all of them.
  private mutating func learnAnew() {
    for position in 0..<count where series[position].isRoot {
      let interval = series[position].timeframe.interval
      for candle in series[position].recent where candle.complete {
        let end = candle.openTime &+ interval
        guard candle.hasHistory || (candle.isFlat && !listening.covers(candle.openTime, end)) else { continue }
        listening.learn(candle.openTime, end)
      }
    }
  }

  /// The settled candles of a timeframe inside a slot, as one.
  private func folded(_ slot: Range<Milliseconds>, from divider: Int) -> CandleBuilder {
    var builder = CandleBuilder.empty
    for candle in series[divider].recent where slot.contains(candle.openTime) { builder.absorb(candle.builder) }
    return builder
  }

  /// Counts the flat candles in a row, backwards from the last one where that is known.
  private mutating func number(_ position: Int, lastRun: Int32?) {
    var run: Int32 = 0
    for index in series[position].recent.indices {
      run = series[position].recent[index].isFlat ? run + 1 : 0
      series[position].recent[index].flatRun = run
    }
    guard let lastRun, let last = series[position].recent.indices.last else { return }
    let missing = lastRun - series[position].recent[last].flatRun
    var index = last
    while missing > 0, index >= 0, series[position].recent[index].isFlat {
      series[position].recent[index].flatRun += missing
      index -= 1
    }
  }
}

extension Candle {
  /// The end of a replay has settled it, and nothing since.
  fileprivate var isCut: Bool { settlement?.settledBy == .end && settlement?.revision == 0 }
}

extension SettledCandle {
  init(restoring candle: Candle, _ settlement: Settlement, interval: Milliseconds) {
    self.init(
      openTime: candle.openTime,
      builder: candle.isEmpty
        ? .empty
        : CandleBuilder(restoring: candle.content, from: candle.openTime, to: candle.openTime &+ interval),
      flatPrice: candle.content.close, flatRun: 0, complete: candle.complete, settlement: settlement,
      hasHistory: candle.origin == .history)
  }

  /// The ticks, or shorter candles, are worth more than the stored candle, if they are all there.
  mutating func take(_ reclaimed: CandleBuilder) {
    let isWhole = builder.countsTicks ? reclaimed.ticks == builder.ticks : reclaimed.volume == builder.volume
    if !isFlat, isWhole { builder = reclaimed }
  }
}

extension CandleBuilder {
  /// From a stored candle. When its ticks came is not known: its open and close keep their places against late ticks.
  init(restoring content: CandleContent, from: Milliseconds, to: Milliseconds) {
    self = .empty
    open = CandleEdge(Tick(time: Timestamp(milliseconds: from), price: content.open))
    close = CandleEdge(Tick(time: Timestamp(nanoseconds: to &* 1_000_000 &- 1), price: content.close))
    restore(
      high: content.high, low: content.low, volume: content.volume, turnover: content.turnover,
      takerBuyVolume: content.takerBuyVolume, ticks: content.ticks)
  }

  /// Adds all that a shorter candle inside this one holds; only for times after those it has.
  mutating func absorb(_ part: CandleBuilder) {
    if part.isEmpty { return }
    if isEmpty {
      self = part
      return
    }
    if part.close.time >= close.time { close = part.close }
    if part.open.time < open.time { open = part.open }
    add(part)
  }
}
