import CandleCore

/// A tick of a frame that was refused.
public struct Refusal: Sendable, Equatable {
  /// Position in the frame's ticks.
  public var index: Int
  public var reason: RefusalReason
}

extension Engine {
  /// Takes the ticks of one frame, in the order in which they stand in it. What was refused is in `refusals`.
  /// - Parameters:
  ///   - ticks: with symbols of this engine.
  ///   - venue: whose trade ids these are; replicas of one feed share it.
  ///   - contiguous: whether the venue numbers its trades without holes.
  /// - Returns: the number of accepted ticks.
  @discardableResult
  public func ingest(
    _ ticks: UnsafeBufferPointer<Tick>, venue: UInt32, contiguous: Bool = false, at instant: Instant
  ) -> Int {
    refusals.removeAll(keepingCapacity: true)
    readClock(instant)
    var accepted = 0
    var index = 0
    while index < ticks.count {
      let tick = ticks.baseAddress.unsafelyUnwrapped + index
      if symbolCount > Settler.prefetchFrom { prefetch(tick, ticks.count &- index) }
      let run = takeRun(tick, count: ticks.count &- index)
      accepted &+= run
      index &+= run
      if run > 0 { continue }
      if let reason = take(tick, venue: venue, at: instant) {
        refusals.append(Refusal(index: index, reason: reason))
      } else {
        accepted &+= 1
        if contiguous, let now = clock.now { observeID(of: tick, venue: venue, now: now) }
      }
      index &+= 1
    }
    counters.ticks &+= Int64(accepted)
    finishFrame()
    return accepted
  }

  /// Asks for the memory of the symbols that come next.
  @inline(__always)
  private func prefetch(_ ticks: UnsafePointer<Tick>, _ count: Int) {
    if count > 12 { prefetch(.settler, ticks + 12) }
    if count > 8 { prefetch(.openCandles, ticks + 8) }
    if count > 4 { prefetch(.settledCandles, ticks + 4) }
  }

  @inline(__always)
  private func prefetch(_ part: Settler.Prefetch, _ tick: UnsafePointer<Tick>) {
    let settler = UnsafeRawPointer(symbols + Int(tick.pointee.symbol)).assumingMemoryBound(to: Settler.self)
    Settler.prefetch(part, of: settler, for: tick.pointee.time)
  }

  /// Takes ticks that only change an open candle, while the clock does not follow them.
  /// - Returns: how many; the next one, if there is one, may do more.
  @inline(__always)
  private func takeRun(_ ticks: UnsafePointer<Tick>, count: Int) -> Int {
    guard configuration.clock != .feed, let now = clock.now, !refusesForStorage,
      pendingBytes <= configuration.pendingLimit
    else { return 0 }
    let symbol = Int(ticks.pointee.symbol)
    let run = symbols[symbol].settler.takeForming(ticks, count: count, now: now)
    if run > 0 { accepted(symbol) }
    return run
  }

  /// Ticks of a symbol were taken.
  @inline(__always)
  private func accepted(_ symbol: Int) {
    if let due = symbols[symbol].settler.clockDue, due < clockDue { clockDue = due }
    markDirty(Int32(symbol))
  }

  @inline(__always)
  private func take(_ tick: UnsafePointer<Tick>, venue: UInt32, at instant: Instant) -> RefusalReason? {
    let symbol = Int(tick.pointee.symbol)
    let time = tick.pointee.time.milliseconds
    var now = clock.now ?? time
    if configuration.clock == .feed, time > now { now = time }
    if let reason = symbols[symbol].settler.refusal(of: tick.pointee, now: now) { return reason }
    if refusesForStorage || pendingBytes > configuration.pendingLimit { return .storage }
    if tick.pointee.id.kind != .none, !rememberID(of: tick, venue: venue, now: now) { return .duplicate }
    if configuration.clock == .feed { observe(time, at: instant) }
    symbols[symbol].settler.take(tick.pointee, now: now, into: &output)
    if symbols[symbol].settler.hasCorrections { lateSymbols.append(Int32(symbol)) }
    accepted(symbol)
    return nil
  }

  func rememberID(of tick: UnsafePointer<Tick>, venue: UInt32, now: Milliseconds) -> Bool {
    let symbol = Int(tick.pointee.symbol)
    let now = symbols[symbol].settler.effectiveTime(now, of: tick.pointee.time.milliseconds)
    for index in symbols[symbol].ids.indices where symbols[symbol].ids[index].venue == venue {
      return symbols[symbol].ids[index].memory.insert(tick.pointee.id, now: now)
    }
    let rules = configuration.rules
    var memory = TradeIDMemory(
      period: rules.correctionWindow &+ rules.shortest.interval &+ (rules.maxAhead ?? rules.shortest.interval), now: now
    )
    let isNew = memory.insert(tick.pointee.id, now: now)
    symbols[symbol].ids.append((venue, memory))
    return isNew
  }

  private func finishFrame() {
    if !lateSymbols.isEmpty {
      let now = clock.now ?? 0
      for symbol in lateSymbols where symbols[Int(symbol)].settler.hasCorrections {
        symbols[Int(symbol)].settler.finishFrame(now: now, into: &output)
      }
      lateSymbols.removeAll(keepingCapacity: true)
    }
    drainOutput()
  }

  @inline(__always)
  func markDirty(_ symbol: Int32) {
    let at = Int(symbol)
    symbols[at].dirty = ~0
    if !symbols[at].queued {
      symbols[at].queued = true
      dirtySymbols.append(symbol)
    }
  }
}
