import CandleCore

/// Builds candles from recorded ticks exactly as the live path would, each symbol's newest event time being its clock.
///
/// A line is a frame of its own: what a late tick changes is restated at once.
public final class Replayer {
  public let rules: SettlementRules
  public private(set) var accepted: Int64 = 0
  /// By reason.
  public private(set) var refused: [Int64] = Array(repeating: 0, count: RefusalReason.allCases.count)
  /// What was settled since it was last taken.
  public private(set) var output: SettlementOutput

  private var symbols: UnsafeMutablePointer<Symbol>
  private var capacity = 16
  public private(set) var symbolCount = 0

  private struct Symbol: ~Copyable {
    /// First, so that it lies where the symbol does.
    var settler: Settler
    var ids: TradeIDMemory?
  }

  /// - Parameter version: the largest version in the database.
  public init(rules: SettlementRules, version: Int64) {
    var rules = rules
    rules.maxAhead = nil
    self.rules = rules
    output = SettlementOutput(version: version)
    symbols = .allocate(capacity: capacity)
  }

  deinit {
    symbols.deinitialize(count: symbolCount)
    symbols.deallocate()
  }

  /// A further symbol; symbols are numbered from 0.
  public func addSymbol() -> Int32 {
    if symbolCount == capacity {
      let larger = UnsafeMutablePointer<Symbol>.allocate(capacity: capacity * 2)
      larger.moveInitialize(from: symbols, count: symbolCount)
      symbols.deallocate()
      symbols = larger
      capacity *= 2
    }
    (symbols + symbolCount).initialize(
      to: Symbol(settler: Settler(symbol: Int32(symbolCount), rules: rules), ids: nil))
    symbolCount += 1
    return Int32(symbolCount - 1)
  }

  public func ingest(_ ticks: UnsafeBufferPointer<Tick>, refuse: (Int, RefusalReason) -> Void) {
    guard let base = ticks.baseAddress else { return }
    var index = 0
    while index < ticks.count {
      let at = Int(base[index].symbol)
      if symbolCount > Settler.prefetchFrom { prefetch(base, index, ticks.count) }
      // Nothing is ahead of a symbol's own clock.
      let run = symbols[at].settler.takeForming(base + index, count: ticks.count &- index, now: 0)
      accepted &+= Int64(run)
      index &+= run
      if run > 0 { continue }
      if let reason = take(base + index) {
        refused[Int(reason.rawValue)] += 1
        refuse(index, reason)
      } else {
        accepted &+= 1
      }
      index &+= 1
    }
  }

  /// Asks for the memory of the symbols that come next.
  @inline(__always)
  private func prefetch(_ ticks: UnsafePointer<Tick>, _ index: Int, _ count: Int) {
    if index &+ 12 < count { prefetch(.settler, ticks + index + 12) }
    if index &+ 8 < count { prefetch(.openCandles, ticks + index + 8) }
    if index &+ 4 < count { prefetch(.settledCandles, ticks + index + 4) }
  }

  @inline(__always)
  private func prefetch(_ part: Settler.Prefetch, _ tick: UnsafePointer<Tick>) {
    let settler = UnsafeRawPointer(symbols + Int(tick.pointee.symbol)).assumingMemoryBound(to: Settler.self)
    Settler.prefetch(part, of: settler, for: tick.pointee.time)
  }

  /// A tick that a daemon had accepted: it is taken again, at the time at which it came.
  /// - Parameter now: server time.
  public func retake(_ tick: Tick, now: Milliseconds) {
    let at = Int(tick.symbol)
    symbols[at].settler.settleByClock(now: now, into: &output)
    symbols[at].settler.take(tick, now: now, into: &output)
    symbols[at].settler.finishFrame(now: now, into: &output)
    accepted &+= 1
  }

  /// A daemon began or ceased to listen to a symbol.
  public func listen(_ symbol: Int32, _ isListening: Bool, at time: Milliseconds) {
    let at = Int(symbol)
    symbols[at].settler.settleByClock(now: time, into: &output)
    if isListening {
      symbols[at].settler.listening.begin(at: time)
    } else {
      symbols[at].settler.stopListening(at: time, now: time)
    }
  }

  /// Settles by clock what had ended at a server time.
  public func settle(now: Milliseconds) {
    for symbol in 0..<symbolCount { symbols[symbol].settler.settleByClock(now: now, into: &output) }
  }

  /// A line that was refused before it became a tick.
  public func count(_ reason: RefusalReason) { refused[Int(reason.rawValue)] += 1 }

  @inline(__always)
  private func take(_ tick: UnsafePointer<Tick>) -> RefusalReason? {
    let at = Int(tick.pointee.symbol)
    let time = tick.pointee.time.milliseconds
    let now = max(time, symbols[at].settler.lastTick ?? time)
    if let reason = symbols[at].settler.refusal(of: tick.pointee, now: now) { return reason }
    if tick.pointee.id.kind != .none, !rememberID(tick, now: now) { return .duplicate }
    if !symbols[at].settler.started { symbols[at].settler.listening.begin(at: time) }
    symbols[at].settler.take(tick.pointee, now: now, into: &output)
    if symbols[at].settler.hasCorrections { symbols[at].settler.finishFrame(now: now, into: &output) }
    return nil
  }

  private func rememberID(_ tick: UnsafePointer<Tick>, now: Milliseconds) -> Bool {
    let at = Int(tick.pointee.symbol)
    if symbols[at].ids == nil {
      symbols[at].ids = TradeIDMemory(
        period: rules.correctionWindow &+ 2 &* rules.shortest.interval, now: now)
    }
    return symbols[at].ids!.insert(
      tick.pointee.id, now: symbols[at].settler.effectiveTime(now, of: tick.pointee.time.milliseconds))
  }

  /// The input is over: what is open is settled, incomplete.
  public func finish() {
    for symbol in 0..<symbolCount { symbols[symbol].settler.settleAtEnd(into: &output) }
  }

  /// Hands over what was settled, in version order.
  public func takeUpdates<E: Error>(_ body: (CandleUpdate) throws(E) -> Void) throws(E) {
    for update in output.updates { try body(update) }
    output.updates.removeAll(keepingCapacity: true)
  }
}
