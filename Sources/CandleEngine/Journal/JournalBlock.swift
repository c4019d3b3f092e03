import CandleCore

/// The frame around the records of one append: all of them are there, or none.
///
/// | offset | bytes | field |
/// | --- | --- | --- |
/// | 0 | 4 | length of the records in bytes; 0 = no block, the end of what is written |
/// | 4 | 4 | number of records; bit 31: a restatement, whose records have no sequence of their own |
/// | 8 | 8 | XXH64 of all that follows in the block, seeded with the 8 bytes before it |
/// | 16 | 8 | sequence of the first record |
/// | 24 | 8 | horizon: Unix ms, largest end of a shortest candle that the records touch; −2^63 = none |
/// | 32 | | records |
///
/// Blocks begin at multiples of 8; up to 7 bytes between them mean nothing.
public struct JournalBlock: Sendable, Equatable {
  public static let headBytes = 32
  /// An offset in the segment at which a block may begin.
  @inlinable public static func aligned(_ offset: Int) -> Int { (offset + 7) & ~7 }

  /// Of the records, in bytes.
  public var length: Int
  public var count: Int
  public var isRestatement: Bool
  /// Of the first record; of the first one that follows, for a restatement.
  public var sequence: UInt64
  public var horizon: Milliseconds

  public init(length: Int, count: Int, isRestatement: Bool, sequence: UInt64, horizon: Milliseconds) {
    self.length = length
    self.count = count
    self.isRestatement = isRestatement
    self.sequence = sequence
    self.horizon = horizon
  }

  /// Sequence of the first record after the block.
  public var next: UInt64 { isRestatement ? sequence : sequence &+ UInt64(count) }

  /// Writes the head before records that are in place.
  ///
  /// The order of the stores does not matter: a block that is half there has no matching checksum.
  /// - Parameter start: of the block, at a multiple of 8.
  public func write(at start: UnsafeMutableRawPointer) {
    let shape = UInt64(UInt32(length)) | UInt64(UInt32(count)) << 32 | (isRestatement ? 1 << 63 : 0)
    (start + 16).storeBytes(of: sequence.littleEndian, as: UInt64.self)
    (start + 24).storeBytes(of: horizon.littleEndian, as: Int64.self)
    let checksum = JournalChecksum.of(start + 16, count: 16 + length, seed: shape)
    (start + 8).storeBytes(of: checksum.littleEndian, as: UInt64.self)
    start.storeBytes(of: shape.littleEndian, as: UInt64.self)
  }

  /// Reads a head; the records need not be there.
  /// - Parameter bytes: at least `headBytes`.
  /// - Returns: nil where no block is.
  public init?(head bytes: UnsafeRawBufferPointer) {
    let shape = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
    length = Int(shape & 0xffff_ffff)
    if length == 0 { return nil }
    count = Int(shape >> 32 & 0x7fff_ffff)
    isRestatement = shape >> 63 == 1
    sequence = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    horizon = Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: Int64.self))
  }

  /// Whether the checksum is that of the block.
  /// - Parameter bytes: the whole block, `headBytes + length`.
  public static func isIntact(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > headBytes, let start = bytes.baseAddress else { return false }
    let shape = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    let checksum = UInt64(littleEndian: (start + 8).loadUnaligned(as: UInt64.self))
    return JournalChecksum.of(start + 16, count: bytes.count - 16, seed: shape) == checksum
  }
}
