import CandleCore
import CandleEngine

/// A segment that is written to through a shared map.
///
/// One thread at a time has it: the preparer, then the journal's owner, then the preparer again to put it away. It is
/// handed over under the preparer's lock.
final class MappedSegment: @unchecked Sendable {
  static let page = 4_096
  /// Behind the last record there must be room for what the encoder may spill, and for the empty head that says no
  /// block follows.
  static let reserve = JournalEncoder.maximumRecord + JournalEncoder.slack + 2 * JournalBlock.headBytes

  let base: UnsafeMutableRawPointer
  let size: Int
  let descriptor: SystemCalls.Descriptor
  let number: UInt32
  /// Sequence of the first record, and offset of the first block with records that are no restatement.
  var first: UInt64 = 0
  var dataStart = 0
  /// Offset of the next block.
  var end = JournalSegment.headBytes
  var horizon: Milliseconds = .min

  init(number: UInt32, base: UnsafeMutableRawPointer, size: Int, descriptor: SystemCalls.Descriptor) {
    self.number = number
    self.base = base
    self.size = size
    self.descriptor = descriptor
  }

  /// Bytes on disk of a file with this end.
  static func allocated(_ end: Int) -> Int64 { Int64((end + page - 1) & ~(page - 1)) }

  var name: String { SegmentName.of(number) }
  /// Where the records of the next block go.
  var records: UnsafeMutableRawPointer { base + end + JournalBlock.headBytes }
  /// The last place at which a record may begin.
  var limit: UnsafeMutableRawPointer { base + size - Self.reserve }

  /// Makes what was written at `records` a block.
  /// - Parameter shape: of the block; its length is that of the records.
  func commit(_ shape: JournalBlock) {
    let after = JournalBlock.aligned(end + JournalBlock.headBytes + shape.length)
    // A block that was given up may have left bytes where the next head will be.
    (base + after).storeBytes(of: 0, as: UInt64.self)
    shape.write(at: base + end)
    end = after
    horizon = max(horizon, shape.horizon)
  }

  /// Makes it a segment that is not begun.
  func blank() { base.initializeMemory(as: UInt8.self, repeating: 0, count: JournalSegment.headBytes) }

  /// Takes the last block back.
  func revoke(to offset: Int, horizon: Milliseconds) {
    (base + offset).storeBytes(of: 0, as: UInt64.self)
    end = offset
    self.horizon = horizon
  }
}

/// A segment that is closed.
struct ClosedSegment: Sendable, Equatable {
  var number: UInt32
  var seal: JournalSeal
  /// Allocated on disk.
  var bytes: Int64

  var name: String { SegmentName.of(number) }
}
