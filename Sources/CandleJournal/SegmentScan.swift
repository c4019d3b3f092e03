import CandleCore
import CandleEngine

/// Walks the blocks of one segment and checks that they continue each other.
struct SegmentScan {
  /// Of the next block.
  private(set) var offset = JournalSegment.headBytes
  /// Sequence of the next record.
  private(set) var next: UInt64
  /// The largest of the blocks so far.
  private(set) var horizon: Milliseconds = .min

  /// - Parameter first: sequence of the segment's first record.
  init(first: UInt64) { next = first }

  /// Looks at the next block and goes on behind it.
  mutating func block(_ file: SegmentFile) throws(JournalError) -> SegmentFile.Step {
    let step = try file.step(at: offset)
    guard case .block(let block, let records) = step else { return step }
    guard block.sequence == next else { return .flaw(.sequence) }
    offset = JournalBlock.aligned(offset + JournalBlock.headBytes + block.length)
    next = block.next
    horizon = max(horizon, block.horizon)
    return .block(block, records)
  }

  /// - Returns: false where no further good block is.
  mutating func step(_ file: SegmentFile) throws(JournalError) -> Bool {
    if case .block = try block(file) { true } else { false }
  }
}
