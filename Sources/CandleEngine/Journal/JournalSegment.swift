import CandleCore

/// The first bytes of a segment.
///
/// | offset | bytes | field |
/// | --- | --- | --- |
/// | 0 | 8 | `candledj`; zeros: laid out, but not begun |
/// | 8 | 4 | version of the format, 1 |
/// | 12 | 4 | offset of the first block, 128 |
/// | 16 | 8 | sequence of the first record |
/// | 24 | 32 | epoch of the database, UTF-8, filled up with zeros |
/// | 56 | 8 | XXH64 of the bytes 8 … 55, seed 0 |
/// | 64 | 40 | the seal (`JournalSeal`), zeros while the segment is written to |
/// | 104 | 24 | zeros |
public struct JournalSegment: Sendable, Equatable {
  public static let version: UInt32 = 1
  /// Offset of the first block.
  public static let headBytes = 128
  /// The longest epoch, in bytes.
  public static let maximumEpoch = 32
  private static let magic: UInt64 = 0x6a64_656c_646e_6163

  /// Sequence of the first record.
  public var first: UInt64
  /// The database whose ticks these are.
  public var epoch: String

  public init(first: UInt64, epoch: String) {
    self.first = first
    self.epoch = epoch
  }

  /// Writes the head, without a seal; an epoch that is too long is cut. The first word comes last: before it the
  /// segment is blank.
  /// - Parameter start: of the segment, at least `headBytes`.
  public func write(at start: UnsafeMutableRawPointer) {
    start.initializeMemory(as: UInt8.self, repeating: 0, count: Self.headBytes)
    (start + 8).storeBytes(of: Self.version.littleEndian, as: UInt32.self)
    (start + 12).storeBytes(of: UInt32(Self.headBytes).littleEndian, as: UInt32.self)
    (start + 16).storeBytes(of: first.littleEndian, as: UInt64.self)
    for (index, byte) in epoch.utf8.prefix(Self.maximumEpoch).enumerated() {
      (start + 24 + index).storeBytes(of: byte, as: UInt8.self)
    }
    (start + 56).storeBytes(of: JournalChecksum.of(start + 8, count: 48, seed: 0).littleEndian, as: UInt64.self)
    start.storeBytes(of: Self.magic.littleEndian, as: UInt64.self)
  }

  /// What the first bytes of a file are.
  public enum Reading: Sendable, Equatable {
    case segment(JournalSegment)
    /// Of a later format.
    case newer(version: UInt32)
    /// Laid out, but not begun.
    case blank
    case flawed
  }

  /// Reads a head.
  /// - Parameter bytes: of the file, from its beginning on.
  public static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
    // Where it is still being laid out the file may be short.
    guard bytes.count >= headBytes, let start = bytes.baseAddress else {
      return bytes.allSatisfy { $0 == 0 } ? .blank : .flawed
    }
    let word = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    if word == 0 { return .blank }
    guard word == magic,
      UInt64(littleEndian: (start + 56).loadUnaligned(as: UInt64.self))
        == JournalChecksum.of(start + 8, count: 48, seed: 0)
    else { return .flawed }
    let version = UInt32(littleEndian: (start + 8).loadUnaligned(as: UInt32.self))
    if version > Self.version { return .newer(version: version) }
    let text = UnsafeRawBufferPointer(rebasing: bytes[24..<56]).prefix { $0 != 0 }
    guard version == Self.version, let epoch = String(validating: text, as: UTF8.self) else { return .flawed }
    return .segment(
      JournalSegment(first: UInt64(littleEndian: (start + 16).loadUnaligned(as: UInt64.self)), epoch: epoch))
  }
}

/// What a closed segment holds, written into its head when it is closed. A segment without a seal is being written to,
/// or its process ended without closing it.
///
/// | offset in the segment | bytes | field |
/// | --- | --- | --- |
/// | 64 | 8 | sequence of the first record that follows |
/// | 72 | 8 | offset of the end of the last block |
/// | 80 | 8 | horizon: the largest of its blocks |
/// | 88 | 8 | system time of the closing, Unix ms |
/// | 96 | 8 | XXH64 of the 32 bytes before, seeded with the sequence of the first record |
public struct JournalSeal: Sendable, Equatable {
  public static let offset = 64
  public static let bytes = 40

  public var next: UInt64
  public var end: Int
  public var horizon: Milliseconds
  public var closedAt: Milliseconds

  public init(next: UInt64, end: Int, horizon: Milliseconds, closedAt: Milliseconds) {
    self.next = next
    self.end = end
    self.horizon = horizon
    self.closedAt = closedAt
  }

  /// - Parameters:
  ///   - place: of the seal, `bytes` long.
  ///   - first: sequence of the segment's first record.
  public func write(at place: UnsafeMutableRawPointer, first: UInt64) {
    place.storeBytes(of: next.littleEndian, as: UInt64.self)
    (place + 8).storeBytes(of: UInt64(end).littleEndian, as: UInt64.self)
    (place + 16).storeBytes(of: horizon.littleEndian, as: Int64.self)
    (place + 24).storeBytes(of: closedAt.littleEndian, as: Int64.self)
    (place + 32).storeBytes(
      of: JournalChecksum.of(place, count: 32, seed: first).littleEndian, as: UInt64.self)
  }

  /// Reads the seal of a segment.
  /// - Parameter bytes: the head of the segment.
  /// - Returns: nil where none is.
  public init?(head bytes: UnsafeRawBufferPointer, first: UInt64) {
    guard bytes.count >= JournalSegment.headBytes, let start = bytes.baseAddress else { return nil }
    let place = start + Self.offset
    let checksum = UInt64(littleEndian: (place + 32).loadUnaligned(as: UInt64.self))
    guard checksum != 0, JournalChecksum.of(place, count: 32, seed: first) == checksum,
      let end = Int(exactly: UInt64(littleEndian: (place + 8).loadUnaligned(as: UInt64.self)))
    else { return nil }
    next = UInt64(littleEndian: place.loadUnaligned(as: UInt64.self))
    self.end = end
    horizon = Int64(littleEndian: (place + 16).loadUnaligned(as: Int64.self))
    closedAt = Int64(littleEndian: (place + 24).loadUnaligned(as: Int64.self))
  }
}
