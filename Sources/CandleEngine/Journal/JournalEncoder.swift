import CandleCore

/// Writes records one after the other into memory that the caller provides.
///
/// All numbers are little-endian. A record begins with a byte whose low three bits are its kind.
///
/// | kind | record | bytes |
/// | --- | --- | --- |
/// | 1 | tick | head 4, symbol 4, then the fields below |
/// | 2 | symbol | kind 1, number 4, length of the name 1, name (UTF-8) |
/// | 3 | listening | kind 1, change 1 (0 began, 1 … 5 the reason), symbol 4, server time 8 |
/// | 4 | alive | kind 1, server time 8 |
/// | 5 | committed | kind 1, sequence 8 |
///
/// Head of a tick, by bits: 0–2 kind, 3–4 taker side, 5–6 kind of trade id, 7–11 scale of the price, 12–16 scale of the
/// volume, 17 a venue follows, 18 a server time follows, 19 the event time is long; then the lengths in bytes (0 … 8) of:
/// 20–23 price, 24–27 volume, 28–31 trade id (low). The fields, in this order: venue (4 bytes; else as in the tick before
/// in the block, 0 at first), server time (8; ms, less that of the tick before, 0 at first), event time (4, or 8 if long;
/// ns, less the server time), price, volume, trade id (low), and the high half of an opaque trade id (8). Event time,
/// server time, price and volume are zigzag-coded.
public struct JournalEncoder {
  /// Where the next record goes.
  public var cursor: UnsafeMutableRawPointer
  /// Records written.
  public var count: UInt32 = 0
  /// Of the last tick.
  @usableFromInline var serverTime: Milliseconds = 0
  @usableFromInline var venue: UInt32 = 0

  /// The longest name of a symbol, in bytes.
  public static let maximumName = 255
  /// The longest record, in bytes.
  public static let maximumRecord = 1 + 4 + 1 + maximumName
  /// Bytes behind a record that may be overwritten with anything.
  public static let slack = 8

  /// - Parameter memory: `maximumRecord + slack` bytes must be free at the cursor before each record.
  @inlinable public init(_ memory: UnsafeMutableRawPointer) { cursor = memory }

  @inlinable public mutating func tick(_ tick: borrowing Tick, venue: UInt32, serverTime: Milliseconds) {
    let server = Self.zigzag(serverTime &- self.serverTime)
    let event = Self.zigzag(tick.time.nanoseconds &- serverTime &* 1_000_000)
    let price = Self.zigzag(tick.price.coefficient)
    let volume = Self.zigzag(tick.volume.coefficient)
    let low = tick.id.low
    // Few lengths are exact: each costs more than the bytes it saves.
    let hasVenue: UInt64 = venue == self.venue ? 0 : 1
    let hasServer: UInt64 = server == 0 ? 0 : 1
    let isLong: UInt64 = event > 0xffff_ffff ? 1 : 0
    let priceLength = Self.length(price)
    let volumeLength = Self.length(volume)
    let idLength = Self.length(low)
    self.serverTime = serverTime
    self.venue = venue
    var head = 1 | UInt64(tick.takerSide.rawValue) &<< 3 | UInt64(tick.id.kind.rawValue) &<< 5
    head |= UInt64(tick.price.scale) &<< 7 | UInt64(tick.volume.scale) &<< 12
    head |= hasVenue &<< 17 | hasServer &<< 18 | isLong &<< 19
    head |= priceLength &<< 20 | volumeLength &<< 24 | idLength &<< 28
    head |= UInt64(UInt32(bitPattern: tick.symbol)) &<< 32
    // Each store writes 8 bytes and the next one overwrites what was too many: cheaper than storing byte by byte.
    var at = Self.store(head, cursor, 8)
    at = Self.store(UInt64(venue), at, hasVenue &<< 2)
    at = Self.store(server, at, hasServer &<< 3)
    at = Self.store(event, at, 4 &+ isLong &<< 2)
    at = Self.store(price, at, priceLength)
    at = Self.store(volume, at, volumeLength)
    at = Self.store(low, at, idLength)
    if tick.id.kind == .opaque { at = Self.store(tick.id.high, at, 8) }
    cursor = at
    count &+= 1
  }

  /// - Returns: false, with nothing written, if the name is longer than `maximumName` bytes.
  public mutating func symbol(_ number: Int32, name: String) -> Bool {
    var name = name
    let start = cursor
    let written = name.withUTF8 { text in
      guard text.count <= Self.maximumName else { return false }
      start.storeBytes(of: 2, as: UInt8.self)
      (start + 1).storeBytes(of: number.littleEndian, as: Int32.self)
      (start + 5).storeBytes(of: UInt8(text.count), as: UInt8.self)
      if let base = text.baseAddress { (start + 6).copyMemory(from: base, byteCount: text.count) }
      return true
    }
    if written { advance(6 + name.utf8.count) }
    return written
  }

  public mutating func listening(_ symbol: Int32, _ change: ListeningChange, at time: Milliseconds) {
    cursor.storeBytes(of: 3, as: UInt8.self)
    (cursor + 1).storeBytes(of: change.code, as: UInt8.self)
    (cursor + 2).storeBytes(of: symbol.littleEndian, as: Int32.self)
    (cursor + 6).storeBytes(of: time.littleEndian, as: Int64.self)
    advance(14)
  }

  public mutating func alive(at time: Milliseconds) {
    cursor.storeBytes(of: 4, as: UInt8.self)
    (cursor + 1).storeBytes(of: time.littleEndian, as: Int64.self)
    advance(9)
  }

  public mutating func committed(upTo sequence: UInt64) {
    cursor.storeBytes(of: 5, as: UInt8.self)
    (cursor + 1).storeBytes(of: sequence.littleEndian, as: UInt64.self)
    advance(9)
  }

  /// - Returns: false, with nothing written, if a symbol's name is too long.
  public mutating func record(_ record: JournalRecord) -> Bool {
    switch record {
    case .tick(let entry): tick(entry.tick, venue: entry.venue, serverTime: entry.serverTime)
    case .symbol(let number, let name): return symbol(number, name: name)
    case .listening(let symbol, let change, let time): listening(symbol, change, at: time)
    case .alive(let time): alive(at: time)
    case .committed(let sequence): committed(upTo: sequence)
    }
    return true
  }

  private mutating func advance(_ bytes: Int) {
    cursor += bytes
    count &+= 1
  }

  @inlinable static func store(
    _ value: UInt64, _ at: UnsafeMutableRawPointer, _ length: UInt64
  ) -> UnsafeMutableRawPointer {
    at.storeBytes(of: value.littleEndian, as: UInt64.self)
    return at + Int(truncatingIfNeeded: length)
  }

  /// Bytes that a value needs; 0 for 0.
  @inlinable static func length(_ value: UInt64) -> UInt64 {
    UInt64(truncatingIfNeeded: (71 &- value.leadingZeroBitCount) &>> 3)
  }

  /// Small numbers of either sign become small numbers.
  @inlinable static func zigzag(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: (value &<< 1) ^ (value &>> 63))
  }
}
