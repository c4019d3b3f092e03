extension Settler {
  /// Takes up a symbol where the stored candles leave it; only before the first tick.
  ///
  /// The candles that are open continue with what is stored of the shorter ones inside them.
  /// - Parameters:
  ///   - history: by position of the timeframe, the newest stored candles, oldest first: at least the last one, those
  ///     of the correction window, and those inside the open slots of the longer timeframes.
  ///   - flatRun: flat candles in a row at the end of the shortest timeframe.
  public mutating func restore(_ history: [[Candle]], flatRun: Int32) {
    guard !started, let newest = history[0].last else { return }
    started = true
    let settledUntil = newest.openTime &+ series[0].timeframe.interval
    for position in 0..<count {
      let interval = series[position].timeframe.interval
      series[position].open(at: max(settledUntil, history[position].last.map { $0.openTime &+ interval } ?? .min))
      series[position].recent = ContiguousArray(
        history[position].compactMap { candle in
          candle.settlement.map { SettledCandle(restoring: candle, $0, interval: interval) }
        })
      number(position, lastRun: position == 0 ? flatRun : nil)
    }
    for position in 0..<count { fold(history, into: position) }
    updateBounds()
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

  /// What the open slot holds so far: the stored candles of the longest timeframe that divides it.
  private mutating func fold(_ history: [[Candle]], into position: Int) {
    let slot = series[position].slotOpen..<series[position].slotEnd
    guard let divider = (0..<position).last(where: { series[$0].parents.contains(position) }) else { return }
    for candle in history[divider] where slot.contains(candle.openTime) {
      series[position].holdsCandle = true
      guard candle.origin != .flat else { continue }
      let part = CandleBuilder(
        restoring: candle.content, from: candle.openTime, to: candle.openTime &+ series[divider].timeframe.interval)
      series[position].forming.absorb(part)
    }
    if slot.contains(series[divider].slotOpen), series[divider].holdsCandle { series[position].holdsCandle = true }
  }
}

extension SettledCandle {
  init(restoring candle: Candle, _ settlement: Settlement, interval: Milliseconds) {
    self.init(
      openTime: candle.openTime,
      builder: candle.origin == .flat
        ? .empty
        : CandleBuilder(restoring: candle.content, from: candle.openTime, to: candle.openTime &+ interval),
      flatPrice: candle.content.close, flatRun: 0, complete: candle.complete, settlement: settlement)
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
      takerBuyVolume: content.takerBuyVolume, ticks: content.ticks ?? 1)
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
