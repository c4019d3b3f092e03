import CandleCore

/// Reads the records of one block, in order. Any bytes may be given: what is no record is a flaw, never a trap.
///
/// The layout is described at `JournalEncoder`.
public struct JournalDecoder {
  private var at: UnsafeRawPointer
  private let end: UnsafeRawPointer
  /// Of the last tick.
  private var serverTime: Milliseconds = 0
  private var venue: UInt32 = 0

  /// - Parameter records: must stay as long as the decoder is used.
  public init(_ records: UnsafeRawBufferPointer) {
    // An empty buffer may have no address; any will do, as nothing is read.
    at = records.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
    end = at + records.count
  }

  /// - Returns: nil at the end.
  /// - Throws: `record`; what follows cannot be read either.
  public mutating func next() throws(JournalFlaw) -> JournalRecord? {
    let left = end - at
    if left == 0 { return nil }
    switch at.load(as: UInt8.self) & 7 {
    case 1: return .tick(try tick(left))
    case 2: return try symbol(left)
    case 3: return try listening(left)
    case 4:
      guard left >= 9, at.load(as: UInt8.self) == 4 else { throw .record }
      defer { at += 9 }
      return .alive(at: Int64(bitPattern: word(at + 1)))
    case 5:
      guard left >= 9, at.load(as: UInt8.self) == 5 else { throw .record }
      defer { at += 9 }
      return .committed(upTo: word(at + 1))
    default: throw .record
    }
  }

  private mutating func tick(_ left: Int) throws(JournalFlaw) -> JournalTick {
    guard left >= 8 else { throw .record }
    let head = word(at)
    let venueLength = head >> 17 & 1 == 0 ? 0 : 4
    let serverLength = head >> 18 & 1 == 0 ? 0 : 8
    let eventLength = head >> 19 & 1 == 0 ? 4 : 8
    let priceLength = Int(head >> 20 & 15)
    let volumeLength = Int(head >> 24 & 15)
    let idLength = Int(head >> 28 & 15)
    let priceScale = UInt8(head >> 7 & 31)
    let volumeScale = UInt8(head >> 12 & 31)
    guard priceLength <= 8, volumeLength <= 8, idLength <= 8, priceScale <= Fixed.maximumScale,
      volumeScale <= Fixed.maximumScale, let side = TakerSide(rawValue: UInt8(head >> 3 & 3)),
      let kind = TradeID.Kind(rawValue: UInt8(head >> 5 & 3)), kind != .none || idLength == 0
    else { throw .record }
    let highLength = kind == .opaque ? 8 : 0
    let total =
      8 + venueLength + serverLength + eventLength + priceLength + volumeLength + idLength + highLength
    guard left >= total else { throw .record }
    var field = at + 8
    if venueLength > 0 { venue = UInt32(truncatingIfNeeded: take(&field, 4)) }
    let server = serverTime &+ Self.signed(take(&field, serverLength))
    let event = server &* 1_000_000 &+ Self.signed(take(&field, eventLength))
    let price = Self.signed(take(&field, priceLength))
    let volume = Self.signed(take(&field, volumeLength))
    let low = take(&field, idLength)
    let high = take(&field, highLength)
    guard Self.isCoefficient(price), Self.isCoefficient(volume) else { throw .record }
    serverTime = server
    at = field
    return JournalTick(
      Tick(
        symbol: Int32(truncatingIfNeeded: head >> 32), time: Timestamp(nanoseconds: event),
        price: Fixed(coefficient: price, scale: priceScale), volume: Fixed(coefficient: volume, scale: volumeScale),
        id: TradeID(kind: kind, high: high, low: low), takerSide: side),
      venue: venue, serverTime: server)
  }

  private mutating func symbol(_ left: Int) throws(JournalFlaw) -> JournalRecord {
    guard left >= 6, at.load(as: UInt8.self) == 2 else { throw .record }
    let length = Int((at + 5).load(as: UInt8.self))
    guard left >= 6 + length,
      let name = String(validating: UnsafeRawBufferPointer(start: at + 6, count: length), as: UTF8.self)
    else { throw .record }
    let number = Int32(truncatingIfNeeded: bytes(at + 1, 4))
    at += 6 + length
    return .symbol(number, name: name)
  }

  private mutating func listening(_ left: Int) throws(JournalFlaw) -> JournalRecord {
    guard left >= 14, at.load(as: UInt8.self) == 3, let change = ListeningChange(code: (at + 1).load(as: UInt8.self))
    else { throw .record }
    defer { at += 14 }
    return .listening(Int32(truncatingIfNeeded: bytes(at + 2, 4)), change, at: Int64(bitPattern: word(at + 6)))
  }

  private func word(_ at: UnsafeRawPointer) -> UInt64 { UInt64(littleEndian: at.loadUnaligned(as: UInt64.self)) }

  @inline(__always) private func take(_ field: inout UnsafeRawPointer, _ length: Int) -> UInt64 {
    defer { field += length }
    return bytes(field, length)
  }

  /// A number of 0 … 8 bytes, which all lie before the end.
  @inline(__always) private func bytes(_ at: UnsafeRawPointer, _ length: Int) -> UInt64 {
    if end - at >= 8 {
      let shift = UInt64(truncatingIfNeeded: 64 &- length &* 8)
      return length == 0 ? 0 : (word(at) &<< shift) &>> shift
    }
    var value: UInt64 = 0
    for index in 0..<length { value |= UInt64((at + index).load(as: UInt8.self)) << UInt64(index * 8) }
    return value
  }

  private static func signed(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
  }

  private static func isCoefficient(_ value: Int64) -> Bool {
    value > -1_000_000_000_000_000_000 && value < 1_000_000_000_000_000_000
  }
}
