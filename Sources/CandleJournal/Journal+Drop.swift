import CandleCore

extension Journal {
  /// Lets go of closed segments that nothing needs any more: oldest first, as far as all their horizons lie before a
  /// time and they have been closed for `keep`. Removal happens on the journal's own thread.
  ///
  /// A segment behind one that must stay stays too, so that what is there has no hole.
  /// - Parameters:
  ///   - horizon: Unix ms: all shortest candles that end before it are stored and past their correction window.
  ///   - committed: the sequence up to which the store holds all effects; a segment with later records stays.
  ///   - now: system time, Unix ms.
  ///   - mostBytes: segments that are only kept for `keep` go earlier while the journal takes more than this on disk.
  /// - Returns: the number of segments let go of.
  @discardableResult
  public func drop(
    horizonBefore horizon: Milliseconds, committed: UInt64 = .max, now: Milliseconds, mostBytes: Int64 = .max
  ) -> Int {
    if isClosed { return 0 }
    for segment in preparer.takeUnremoved() { preparer.add(.remove(segment)) }
    var bytes = mostBytes == .max ? 0 : status.bytesOnDisk
    let count = closed.prefix { segment in
      guard segment.seal.horizon < horizon, segment.seal.next &- 1 <= committed else { return false }
      // A clock that was set back must not keep segments for ever.
      let isKept = options.keep > 0 && min(segment.seal.closedAt, now) &+ options.keep > now
      guard !isKept || bytes > mostBytes else { return false }
      bytes -= segment.bytes
      return true
    }.count
    for segment in closed.prefix(count) { preparer.add(.remove(segment)) }
    closed.removeFirst(count)
    return count
  }
}
