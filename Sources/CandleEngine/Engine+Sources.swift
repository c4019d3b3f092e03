import CandleCore

extension Engine {
  /// A source is connected and carries these symbols (more than before, if it was up already).
  public func sourceUp(_ source: SourceID, symbols carried: [Int32], at instant: Instant) {
    readClock(instant)
    for symbol in carried where !(sources[source]?.contains(symbol) ?? false) {
      sources[source, default: []].append(symbol)
      let at = Int(symbol)
      symbols[at].sources += 1
      guard symbols[at].sources == 1, let now = clock.now else { continue }
      let begin = max(now, symbols[at].openGap?.from ?? now)
      startListening(to: at, at: begin)
      if var gap = symbols[at].openGap {
        symbols[at].openGap = nil
        gap.to = begin
        gap.version = nextVersion()
        record(gap)
      }
      markDirty(symbol)
    }
  }

  /// A source is gone; symbols that no other source carries are not listened to any more.
  public func sourceDown(_ source: SourceID, reason: GapReason, at instant: Instant) {
    readClock(instant)
    guard let carried = sources.removeValue(forKey: source) else { return }
    drop(carried, reason: reason)
  }

  /// A source that stays does not carry these symbols any more.
  public func sourceDown(_ source: SourceID, symbols dropped: [Int32], reason: GapReason, at instant: Instant) {
    readClock(instant)
    guard let carried = sources[source] else { return }
    sources[source] = carried.filter { !dropped.contains($0) }
    drop(carried.filter(dropped.contains), reason: reason)
  }

  private func drop(_ carried: [Int32], reason: GapReason) {
    for symbol in carried {
      let at = Int(symbol)
      symbols[at].sources -= 1
      guard symbols[at].sources == 0, let now = clock.now, symbols[at].settler.listening.since != nil else { continue }
      let end = stopListening(to: at, at: now, reason: reason)
      interruptIDs(of: at, at: end)
      let gap = Gap(symbol: symbol, from: end, to: nil, reason: reason, version: nextVersion())
      symbols[at].openGap = gap
      record(gap)
    }
  }
}
