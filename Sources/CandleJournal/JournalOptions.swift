import CandleCore

/// How a journal is kept.
public struct JournalOptions: Sendable, Equatable {
  /// What an append survives once it has returned.
  public enum Durability: String, Sendable {
    /// The end of the process, `kill -9` included.
    case process
    /// Loss of power too: each append waits for the disk.
    case power
  }

  public static let smallestSegment = 8_192
  public static let largestSegment = 1 << 30

  /// Size of a segment in bytes; rounded up to whole pages, within `smallestSegment … largestSegment`.
  public var segmentBytes: Int
  public var durability: Durability
  /// How long a segment stays after it was closed, in milliseconds of system time; 0 = not longer than needed.
  public var keep: Milliseconds
  /// Most bytes on disk, the segment prepared ahead included; 0 = no limit.
  public var maximumBytes: Int64
  /// Least time between two attempts to prepare a segment on a failing disk, in milliseconds.
  public var retryInterval: Milliseconds

  public init(
    segmentBytes: Int = 16 << 20, durability: Durability = .process, keep: Milliseconds = 0, maximumBytes: Int64 = 0,
    retryInterval: Milliseconds = 250
  ) {
    self.segmentBytes = segmentBytes
    self.durability = durability
    self.keep = keep
    self.maximumBytes = maximumBytes
    self.retryInterval = retryInterval
  }

  /// `segmentBytes` as it is used.
  var segmentSize: Int {
    (min(max(segmentBytes, Self.smallestSegment), Self.largestSegment) + MappedSegment.page - 1)
      & ~(MappedSegment.page - 1)
  }
}
