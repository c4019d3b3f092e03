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
      if symbolCount > 1 { prefetch(tick, ticks.count &- index) }
      let run = takeRun(tick, count: ticks.count &- index)
      accepted &+= run
      index &+= run
      if run > 0 { continue }
      if let reason = take(tick, venue: venue, at: instant) {
        refusals.append(Refusal(index: index, reason: reason))
      } else {
        accepted &+= 1
        if contiguous { observeID(of: tick, venue: venue) }
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

  private func observeID(of tick: UnsafePointer<Tick>, venue: UInt32) {
    guard tick.pointee.id.kind == .number, let now = clock.now else { return }
    let symbol = Int(tick.pointee.symbol)
    let rules = configuration.rules
    if !symbols[symbol].sequences.contains(where: { $0.venue == venue }) {
      symbols[symbol].sequences.append((venue, TradeIDSequence()))
    }
    for index in symbols[symbol].sequences.indices where symbols[symbol].sequences[index].venue == venue {
      symbols[symbol].sequences[index].sequence.observe(
        tick.pointee.id.low, time: tick.pointee.time.milliseconds, now: now, grace: rules.grace)
      if let due = symbols[symbol].sequences[index].sequence.due { missedDue = min(missedDue, due) }
    }
  }

  /// A venue that numbers its trades without holes says which the newest of a symbol is.
  /// - Parameters:
  ///   - id: of the newest trade, whether it came here or not.
  ///   - time: when it was the newest, in milliseconds.
  public func expectTrades(through id: UInt64, of symbol: Int32, venue: UInt32, time: Milliseconds, at instant: Instant)
  {
    readClock(instant)
    guard let now = clock.now else { return }
    let symbol = Int(symbol)
    for index in symbols[symbol].sequences.indices where symbols[symbol].sequences[index].venue == venue {
      symbols[symbol].sequences[index].sequence.expect(
        through: id, time: time, now: now, grace: configuration.rules.grace)
      if let due = symbols[symbol].sequences[index].sequence.due { missedDue = min(missedDue, due) }
    }
  }

  /// Holes in trade ids that stayed open are gaps.
  func recordMissedTrades(now: Milliseconds) {
    guard now >= missedDue else { return }
    missedDue = .max
    for symbol in 0..<symbolCount {
      for index in symbols[symbol].sequences.indices {
        for hole in symbols[symbol].sequences[index].sequence.overdue(now: now) {
          symbols[symbol].settler.miss(from: hole.from, to: hole.to, now: now, into: &output)
          drainOutput()
          record(
            Gap(
              symbol: Int32(symbol), from: hole.from, to: hole.to, reason: .missedTrades, version: nextVersion()))
          counters.missedTrades &+= Int64(clamping: hole.ids.upperBound - hole.ids.lowerBound + 1)
          markDirty(Int32(symbol))
        }
        if let due = symbols[symbol].sequences[index].sequence.due { missedDue = min(missedDue, due) }
      }
    }
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
