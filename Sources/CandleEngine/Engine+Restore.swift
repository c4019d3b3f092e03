import CandleCore

/// What the store knows of a symbol at the start.
public struct SymbolHistory: Sendable {
  public var name: String
  /// By position of the timeframe, oldest first; see `Settler.restore`.
  public var candles: [[Candle]]
  /// Flat candles in a row at the end of the shortest timeframe.
  public var flatRun: Int32
  /// The gap that was open when the last process ended.
  public var openGap: (from: Milliseconds, reason: GapReason)?
  /// Holes in trade ids.
  public var missed: [Gap]

  public init(
    name: String, candles: [[Candle]], flatRun: Int32, openGap: (from: Milliseconds, reason: GapReason)?,
    missed: [Gap] = []
  ) {
    self.name = name
    self.candles = candles
    self.flatRun = flatRun
    self.openGap = openGap
    self.missed = missed
  }
}

/// The beginning of a process on the data of an earlier one, in this order: `restore` for every symbol of the store,
/// `recover` for every record of the journal, `finishRestore`.
///
/// The store says up to which record of the journal it holds all effects. Ticks up to there are only given back to the
/// candles that count them, or that are still open; later ones are taken anew, so that what was decided and not stored
/// is decided again.
extension Engine {
  public func restore(_ history: SymbolHistory) {
    guard let symbol = intern(history.name) else { return }
    let at = Int(symbol)
    symbols[at].settler.restore(history.candles, flatRun: history.flatRun)
    for position in 0..<timeframeCount where plan != nil && !history.candles[position].isEmpty {
      symbols[at].series[position].isCold = true
      coldCount += 1
    }
    for gap in history.missed { symbols[at].knownMissed[gap.from] = gap.to }
    for gap in history.missed where !gap.filled { symbols[at].settler.restoreMissed(gap.from, gap.to ?? gap.from) }
    if let gap = history.openGap {
      symbols[at].openGap = Gap(symbol: symbol, from: gap.from, to: nil, reason: gap.reason, version: 0)
    }
  }

  /// A tick that was accepted by an earlier process.
  /// - Parameters:
  ///   - isStored: whether the store holds its effects.
  ///   - serverTime: when it was accepted.
  ///   - contiguous: whether the venue numbers its trades without holes.
  public func recover(
    _ tick: Tick, venue: UInt32, isStored: Bool, serverTime: Milliseconds, contiguous: Bool = false
  ) {
    let at = Int(tick.symbol)
    withUnsafePointer(to: tick) { pointer in
      if tick.id.kind != .none { _ = rememberID(of: pointer, venue: venue, now: serverTime) }
      if contiguous { observeID(of: pointer, venue: venue, now: serverTime) }
    }
    if isStored { return symbols[at].settler.reclaim(tick) }
    beginRetaking()
    symbols[at].settler.take(tick, now: serverTime, into: &output)
    symbols[at].settler.finishFrame(now: serverTime, into: &output)
    drainOutput()
  }

  /// A symbol began or ceased to be listened to in an earlier process.
  /// - Parameter reason: of the gap that an end begins; nil at a begin.
  public func recoverListening(_ symbol: Int32, at time: Milliseconds, ends reason: GapReason?, isStored: Bool) {
    let at = Int(symbol)
    if !isStored { beginRetaking() }
    guard let reason else {
      symbols[at].settler.listening.begin(at: time)
      guard !isStored, var gap = symbols[at].openGap else { return }
      symbols[at].openGap = nil
      gap.to = max(time, gap.from)
      gap.version = nextVersion()
      return record(gap)
    }
    symbols[at].settler.stopListening(at: time, now: time)
    // A suspended process was still connected.
    if reason != .suspended { interruptIDs(of: at, at: time) }
    guard !isStored, symbols[at].openGap == nil else { return }
    let gap = Gap(symbol: symbol, from: time, to: nil, reason: reason, version: nextVersion())
    symbols[at].openGap = gap
    record(gap)
  }

  /// The first record whose effects are not stored: all before it were given back.
  private func beginRetaking() {
    guard !isRetaking else { return }
    isRetaking = true
    for symbol in 0..<symbolCount { symbols[symbol].settler.finishRestore() }
  }

  /// All records were given.
  /// - Parameter alive: server time at which the last process was known to live: the gap `restart` begins there, for
  ///   what it listened to then.
  public func finishRestore(alive: Milliseconds?, at instant: Instant) {
    // A symbol that was replayed or imported is unknown from where its candles end.
    let told = (0..<symbolCount).map { symbols[$0].settler.toldUntil(wasAlive: alive != nil) }
    beginRetaking()
    // With recorded data the clock goes on from the newest time that is known.
    if let newest = (told + [alive]).compactMap({ $0 }).max() { clock.observe(newest, at: instant) }
    for symbol in 0..<symbolCount {
      // What an earlier process has seen and not decided is decided by this one.
      for index in symbols[symbol].sequences.indices {
        symbols[symbol].sequences[index].sequence.forgetHoles(symbols[symbol].knownMissed)
      }
      symbols[symbol].knownMissed = [:]
      if let due = symbols[symbol].settler.clockDue { clockDue = min(clockDue, due) }
      if told[symbol] != nil { symbols[symbol].settler.missCut() }
      guard let alive = told[symbol] ?? alive else { continue }
      let wasHeard = symbols[symbol].settler.started || symbols[symbol].settler.listening.since != nil
      let end = stopListening(to: symbol, at: symbols[symbol].openGap?.from ?? alive, reason: .restart)
      interruptIDs(of: symbol, at: end)
      guard symbols[symbol].openGap == nil, wasHeard else { continue }
      let gap = Gap(symbol: Int32(symbol), from: end, to: nil, reason: .restart, version: nextVersion())
      symbols[symbol].openGap = gap
      record(gap)
    }
  }
}
