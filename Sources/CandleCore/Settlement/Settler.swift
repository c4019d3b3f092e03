/// Decides when the candles of one symbol close: by the first tick at or past their end, or by the clock.
///
/// All timeframes of a symbol are settled here, so that those which end at one instant settle together. Time is an
/// argument; nothing is read from a clock. The result does not depend on the order of arrival within the correction
/// window: what is stored equals one pass over the sorted ticks.
///
/// A tick is taken in two steps, so that the caller can refuse it for reasons of its own in between:
/// `refusal(of:now:)`, then `take(_:now:into:)`; after the ticks of a frame, `finishFrame(now:into:)`.
public struct Settler: ~Copyable {
  // What every tick reads comes first, so that it shares one or two lines of the cache.
  public let symbol: Int32
  /// Whether the settled parts of the open slots leave room for whatever volume the roots can still take.
  private(set) var hasRoom = true
  /// Whether a tick has been taken, or history is known.
  public internal(set) var started = false
  /// Some settled candle was touched in the running frame.
  public internal(set) var hasCorrections = false
  let series: UnsafeMutablePointer<SeriesState>
  /// The only timeframe that no other divides; nil where there are several.
  let onlyRoot: Int?
  /// Times in `[lower, upper)` lie in the open slot of every timeframe; empty before the first tick.
  private(set) var lower: Milliseconds = 0
  private(set) var upper: Milliseconds = 0
  /// The same bounds in nanoseconds, so that the hot path need not divide.
  private(set) var lowerNanoseconds: Int64 = 0
  private(set) var upperNanoseconds: Int64 = 0
  /// Event time of the newest tick, in milliseconds; nil before the first.
  public internal(set) var lastTick: Milliseconds?
  let rules: SettlementRules
  let count: Int
  public var listening = Listening()
  /// Accepted ticks that changed nothing, since their candle was filled from a history source.
  public internal(set) var superseded: Int64 = 0

  public init(symbol: Int32, rules: SettlementRules) {
    self.symbol = symbol
    self.rules = rules
    count = rules.timeframes.count
    series = .allocate(capacity: count)
    for position in 0..<count {
      (series + position).initialize(to: SeriesState(rules.timeframes[position], rules.places[position]))
    }
    onlyRoot = rules.rootPositions.count == 1 ? rules.rootPositions[0] : nil
  }

  deinit {
    series.deinitialize(count: count)
    series.deallocate()
  }

  /// Why a tick cannot be taken, or nil; changes nothing.
  @inlinable public func refusal(of tick: borrowing Tick, now: Milliseconds) -> RefusalReason? {
    let time = tick.time.milliseconds
    if isForming(time) {
      if !formingFits(tick) { return .overflow }
      return isTooFarAhead(time, now) ? .tooFarAhead : nil
    }
    return refusalOutside(tick, time: time, now: now)
  }

  /// Takes a tick that `refusal` let pass. Settles what it passes, then adds it to the candle of its own time.
  @inlinable public mutating func take(_ tick: borrowing Tick, now: Milliseconds, into output: inout SettlementOutput) {
    let time = tick.time.milliseconds
    if isForming(time) {
      addToForming(tick, time: time)
    } else {
      takeOutside(tick, time: time, now: now, into: &output)
    }
  }

  @usableFromInline func isForming(_ time: Milliseconds) -> Bool { time >= lower && time < upper }

  @usableFromInline func isTooFarAhead(_ time: Milliseconds, _ now: Milliseconds) -> Bool {
    if let maxAhead = rules.maxAhead { time &- now > maxAhead } else { false }
  }

  @usableFromInline func formingFits(_ tick: borrowing Tick) -> Bool {
    if anyVolumeFits { return true }
    for position in 0..<count where !builder(position).fits(tick) { return false }
    return true
  }

  /// Whether the open candles have room for the volume of any tick.
  @inline(__always) var anyVolumeFits: Bool {
    // Below 2^60 at any scale a sum stays below 2^120 at the finest one.
    if hasRoom, let onlyRoot { series[onlyRoot].forming.volume.coefficient < 1 << 60 } else { false }
  }

  @usableFromInline mutating func addToForming(_ tick: borrowing Tick, time: Milliseconds) {
    let turnover = FixedSum.product(tick.price, tick.volume)
    if let onlyRoot {
      series[onlyRoot].forming.add(tick, turnover: turnover)
    } else {
      for root in rules.rootPositions { series[root].forming.add(tick, turnover: turnover) }
    }
    if time > lastTick ?? .min { lastTick = time }
  }

  /// All ticks of the open slot so far.
  func builder(_ position: Int) -> CandleBuilder {
    var builder = series[position].forming
    if let divider = series[position].divider, series[position].isOpen(at: series[divider].slotOpen) {
      builder.absorb(self.builder(divider))
    }
    return builder
  }

  /// After slots moved.
  mutating func updateBounds() {
    lower = .min
    upper = .max
    hasRoom = true
    for position in 0..<count {
      if !series[position].isRoot, !series[position].forming.leavesRoom { hasRoom = false }
      lower = max(lower, series[position].slotOpen)
      upper = min(upper, series[position].slotEnd)
    }
    lowerNanoseconds = Timestamp.nanoseconds(clamping: lower)
    upperNanoseconds = Timestamp.nanoseconds(clamping: upper)
  }

  /// Time as far as it has an effect on a tick: in a candle that nobody has settled yet it is never too late, however
  /// long ago that should have been.
  ///
  /// While a restart lasts the slots are not known yet.
  public func effectiveTime(_ now: Milliseconds, of tick: Milliseconds) -> Milliseconds {
    upper > lower ? min(now, max(upper, tick)) : now
  }

  /// The last source went.
  /// - Parameter time: until when was listened to.
  public mutating func stopListening(at time: Milliseconds, now: Milliseconds) {
    var horizon = now &- rules.correctionWindow &- 2 &* rules.shortest.interval &- rules.grace
    // Candles that nobody has settled yet are still to be asked about.
    if started { horizon = min(horizon, upper) }
    listening.end(at: time, horizon: horizon)
  }

  /// No more flat candles until the next tick.
  public var isDormant: Bool {
    guard rules.flatLimit > 0, started, series[0].forming.isEmpty, let last = series[0].recent.last else {
      return false
    }
    return last.flatRun >= rules.flatLimit
  }

  /// Whether the open slot of the shortest timeframe shows a flat candle as long as no tick comes.
  var formsFlat: Bool {
    guard rules.emptyCandles == .flat, listening.since != nil, let last = series[0].recent.last else { return false }
    return rules.flatLimit == 0 || last.flatRun < rules.flatLimit
  }

  /// Begin of the slot of a timeframe that is not settled yet; nil before the first tick.
  public func openSlot(_ position: Int) -> Milliseconds? { started ? series[position].slotOpen : nil }

  /// The candle that is not settled yet.
  /// - Parameter position: of the timeframe in the rules.
  /// - Returns: nil where nothing forms.
  public func forming(_ position: Int) -> Candle? {
    guard started else { return nil }
    let slot = (from: series[position].slotOpen, to: series[position].slotEnd)
    let complete = (listening.since.map { $0 <= slot.from } ?? false) && listening.hasAll(slot.from, slot.to)
    let builder = builder(position)
    let hasHistory = series[position].holdsHistory
    if !builder.isEmpty {
      return Candle(
        openTime: slot.from, content: builder.content, origin: hasHistory ? .history : .ticks, complete: complete,
        settlement: nil)
    }
    guard series[position].holdsCandle || formsFlat, let last = series[position].recent.last else { return nil }
    return Candle(
      openTime: slot.from, content: .flat(at: last.close), origin: hasHistory ? .history : .flat, complete: complete,
      settlement: nil)
  }
}
