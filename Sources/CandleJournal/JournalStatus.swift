import CandleEngine

/// How a journal is doing; for metrics and status pages.
public struct JournalStatus: Sendable, Equatable {
  /// Allocated on disk by the segments of this journal, the one prepared ahead included.
  public var bytesOnDisk: Int64 = 0
  /// Segments with records, the one being written to included.
  public var segments = 0
  /// Sequence of the newest record; 0 before the first.
  public var lastSequence: UInt64 = 0
  /// Records appended since the journal was opened.
  public var records: UInt64 = 0
  /// Bytes appended since then, frames included.
  public var bytesAppended: UInt64 = 0
  /// How often an append had to wait for a segment to be prepared.
  public var waits: UInt64 = 0
  /// Why no segment can be prepared; nil while all is well.
  public var preparation: JournalError?
  /// Segments that could not be cut or removed; removing is tried again with the next drop.
  public var cleanupFailures: UInt64 = 0
}

/// What opening a journal found.
public struct RecoveryReport: Sendable, Equatable {
  /// Segments of this database with records in them.
  public var segments = 0
  /// Sequence of the newest record found; 0 if there is none.
  public var lastSequence: UInt64 = 0
  /// Segments that were not closed by the process that wrote them.
  public var unclosed = 0
  /// Bytes behind the last good block of those, which were cut off: what a crash left half written.
  public var bytesCut = 0
  /// Segments of another database, set aside as `*.foreign`.
  public var foreign: [String] = []
  /// Files named like a segment that are none, set aside as `*.damaged`.
  public var damaged: [String] = []
}

/// A place where records are lost.
public struct JournalDamage: Sendable, Equatable {
  /// Name of the segment.
  public var segment: String
  /// Offset in it, in bytes.
  public var offset: Int
  public var flaw: JournalFlaw
  /// Records that are lost; nil where nothing tells.
  public var lost: UInt64?
  /// Bytes that are skipped.
  public var bytes: Int
}
