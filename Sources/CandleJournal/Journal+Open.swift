import CandleCore
import CandleEngine

extension Journal {
  /// Takes up the journal of a database, or begins one. Segments that a crash left open are closed at their last good
  /// block; those of another database are set aside, not read.
  ///
  /// Nothing is written before the first append, so that what is there can be read with a `JournalReader` before.
  /// - Parameters:
  ///   - directory: made if it is missing; its parent must exist.
  ///   - epoch: names the database, at most 32 bytes.
  ///   - committed: the sequence that the database holds the effects of; numbering goes on behind it, even if the
  ///     journal has lost records before it.
  public static func open(
    directory: String, epoch: String, committed: UInt64 = 0, options: JournalOptions = JournalOptions(),
    system: SystemCalls = .linux
  ) throws(JournalError) -> (journal: Journal, report: RecoveryReport) {
    guard epoch.utf8.count <= JournalSegment.maximumEpoch else {
      throw JournalError(operation: .open, subject: epoch, cause: .nameTooLong(limit: JournalSegment.maximumEpoch))
    }
    var recovery = SegmentRecovery(directory: directory, epoch: epoch, options: options, system: system)
    try recovery.run()
    let journal = try Journal(
      directory: directory, epoch: epoch, options: options, system: system, closed: recovery.closed,
      lastSequence: max(recovery.report.lastSequence, committed), nextNumber: recovery.nextNumber)
    return (journal, recovery.report)
  }
}
