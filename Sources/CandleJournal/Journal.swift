import CandleCore
import CandleEngine

/// The journal of a database: everything that was accepted, in a directory of segments.
///
/// One thread at a time uses it. Each append is one block, written straight into a shared memory map: once `append` has
/// returned, its records survive the end of the process, and with durability `power` the loss of power. A segment that
/// is full is closed; the next one was prepared meanwhile by a thread of the journal's own.
///
/// The bytes are described in `docs/journal.md`.
public final class Journal {
  public let directory: String
  public let epoch: String
  public let options: JournalOptions
  /// Called at the head of each new segment, within an `append`: must write the symbols with their numbers and what is
  /// listened to, so that the segment can be read on its own. Its records have no sequence.
  public var restate: ((inout JournalWriter) -> Void)?
  /// Sequence of the newest record; 0 before the first.
  public internal(set) var lastSequence: UInt64

  let system: SystemCalls
  let preparer: SegmentPreparer
  /// nil before the first append.
  var active: MappedSegment?
  /// Oldest first.
  var closed: [ClosedSegment]
  var records: UInt64 = 0
  var bytesAppended: UInt64 = 0
  var isClosed = false

  init(
    directory: String, epoch: String, options: JournalOptions, system: SystemCalls, closed: [ClosedSegment],
    lastSequence: UInt64, nextNumber: UInt32
  ) throws(JournalError) {
    self.directory = directory
    self.epoch = epoch
    self.options = options
    self.system = system
    self.closed = closed
    self.lastSequence = lastSequence
    preparer = try SegmentPreparer(
      directory: directory, options: options, system: system, bytesOnDisk: closed.reduce(0) { $0 + $1.bytes },
      number: nextNumber)
  }

  /// Leaves the segment as a crash would, except that the thread and the map are given back.
  deinit {
    if isClosed { return }
    if let active { preparer.add(.discard(active, removing: false)) }
    preparer.stop()
  }

  public var status: JournalStatus {
    var status = JournalStatus()
    preparer.report(into: &status)
    status.segments = closed.count + (active == nil ? 0 : 1)
    status.lastSequence = lastSequence
    status.records = records
    status.bytesAppended = bytesAppended
    return status
  }

  /// Waits until the next segment is prepared and used ones are put away, or the disk has refused to.
  public func settle() { preparer.settle() }

  /// Closes the segment and ends the journal. What was appended is safe without it.
  public func close() {
    if isClosed { return }
    isClosed = true
    if let active { preparer.add(seal(active)) }
    active = nil
    preparer.stop()
  }

  func tooLarge(_ operation: JournalError.Operation) -> JournalError {
    JournalError(operation: operation, subject: directory, cause: .tooLarge(limit: options.segmentSize))
  }
}
