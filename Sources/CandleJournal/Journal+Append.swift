import CandleCore
import CandleEngine

extension Journal {
  /// Appends records, all or none.
  ///
  /// After an error nothing of them is in the journal, and the same append may be tried again: with durability
  /// `process` errors only come when a new segment is needed. While the disk refuses one, appends fail at once; they
  /// wait only for a segment that is being prepared.
  /// - Parameters:
  ///   - horizon: the largest end (Unix ms) of a candle of the shortest timeframe that the records touch, of those in
  ///     which a listening change lies too; `.min` for none. The segment stays until that has passed; see `drop`.
  ///   - body: writes the records; what it writes goes straight into the segment. `restate` may be called within it.
  /// - Returns: the sequence of the newest record of the journal.
  @discardableResult
  public func append(
    horizon: Milliseconds, _ body: (inout JournalWriter) -> Void
  ) throws(JournalError) -> UInt64 {
    if isClosed { throw JournalError(operation: .append, subject: directory, cause: .closed) }
    let segment: MappedSegment
    if let active { segment = active } else { segment = try begin() }
    var writer = JournalWriter(segment, journal: self)
    body(&writer)
    if let failure = writer.failure { throw failure }
    if writer.count > 0 { try commit(length: writer.length, count: writer.count, horizon: horizon) }
    return lastSequence
  }

  private func commit(length: Int, count: Int, horizon: Milliseconds) throws(JournalError) {
    // Making room may have changed the segment.
    guard let segment = active else { return }
    let start = segment.end
    let horizonBefore = segment.horizon
    segment.commit(
      JournalBlock(
        length: length, count: count, isRestatement: false, sequence: lastSequence &+ 1, horizon: horizon))
    if options.durability == .power {
      do throws(JournalError) {
        try sync(segment, from: start)
      } catch {
        // The caller will append the same again; after a crash in between nobody waits for an acknowledgement.
        segment.revoke(to: start, horizon: horizonBefore)
        throw error
      }
    }
    lastSequence &+= UInt64(count)
    records &+= UInt64(count)
    bytesAppended &+= UInt64(segment.end - start)
  }

  /// Waits until the blocks from an offset on are on the disk.
  func sync(_ segment: MappedSegment, from offset: Int) throws(JournalError) {
    let start = offset & ~(MappedSegment.page - 1)
    do throws(SystemFailure) {
      try system.syncPages(segment.base + start, segment.end - start)
    } catch {
      throw JournalError(operation: .sync, subject: directory + "/" + segment.name, cause: .system(code: error.code))
    }
  }
}
