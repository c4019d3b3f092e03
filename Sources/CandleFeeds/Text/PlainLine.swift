import CandleCore

/// The hot path of the text format: a line of nothing but digits, points and commas, read in one pass.
///
/// Whatever else a line holds (spaces, signs, exponents, errors) is left to the field-by-field reader.
struct PlainLine {
  let base: UnsafeRawPointer
  let count: Int
  let unit: TimestampUnit
  /// Where reading stands; behind the line once it is read.
  var at: Int
  private var nanoseconds: Int64 = 0
  var coefficient: Int64 = 0
  private var scale: UInt8 = 0
  private var volume: Int64 = 0
  private var volumeScale: UInt8 = 0
  private var id = TradeID.none

  @inline(__always)
  init(frame: UnsafeRawBufferPointer, at: Int, unit: TimestampUnit) {
    base = frame.baseAddress.unsafelyUnwrapped
    count = frame.count
    self.at = at
    self.unit = unit
  }

  @inline(__always)
  func tick(symbol: Int32) -> Tick {
    Tick(
      symbol: symbol, time: Timestamp(nanoseconds: nanoseconds), price: Fixed(coefficient: coefficient, scale: scale),
      volume: Fixed(coefficient: volume, scale: volumeScale), id: id)
  }

  /// - Returns: false if the line is not a plain one.
  @inline(__always)
  mutating func scan() -> Bool {
    guard scanTime(), at < count, byte == UInt8(ascii: ",") else { return false }
    at &+= 1
    guard let price = scanDecimal() else { return false }
    coefficient = price.coefficient
    scale = price.scale
    if atEnd { return true }
    guard byte == UInt8(ascii: ",") else { return false }
    at &+= 1
    guard let size = scanDecimal() else { return false }
    volume = size.coefficient
    volumeScale = size.scale
    if atEnd { return true }
    guard byte == UInt8(ascii: ",") else { return false }
    at &+= 1
    return scanID()
  }

  @inline(__always) private var byte: UInt8 { base.load(fromByteOffset: at, as: UInt8.self) }
  @inline(__always) private var atEnd: Bool { at == count || byte == UInt8(ascii: "\n") }

  /// Whole timestamps only.
  @inline(__always)
  private mutating func scanTime() -> Bool {
    let start = at
    let value = scanDigits()
    let digits = at &- start
    if digits == 0 || digits > 18 { return false }
    let decimals = 9 &- unit.power(digits: digits)
    let (scaled, overflow) = Int64(bitPattern: value).multipliedReportingOverflow(by: PowersOfTen.int64(decimals))
    nanoseconds = scaled
    return !overflow
  }

  /// Up to 18 digits and at most one point.
  @inline(__always)
  private mutating func scanDecimal() -> Fixed? {
    let start = at
    let whole = scanDigits()
    var digits = at &- start
    guard at < count, byte == UInt8(ascii: ".") else {
      if digits == 0 || digits > 18 { return nil }
      return Fixed(coefficient: Int64(bitPattern: whole), scale: 0)
    }
    at &+= 1
    let point = at
    let fraction = scanDigits()
    let scale = at &- point
    digits &+= scale
    if digits == 0 || digits > 18 { return nil }
    let value = whole &* UInt64(bitPattern: PowersOfTen.int64(scale)) &+ fraction
    return Fixed(coefficient: Int64(bitPattern: value), scale: UInt8(truncatingIfNeeded: scale))
  }

  /// A run of digits, eight at a time; wraps where there are more than 19, which no caller accepts.
  @inline(__always)
  private mutating func scanDigits() -> UInt64 {
    var value: UInt64 = 0
    while at &+ 8 <= count {
      // The first character is the lowest byte.
      let digits =
        UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self)) ^ 0x3030_3030_3030_3030
      // A high nibble appears in bytes that are no digit; a carry only disturbs those behind the first of them.
      let others = ((digits &+ 0x0606_0606_0606_0606) | digits) & 0xf0f0_f0f0_f0f0_f0f0
      if others == 0 {
        value = value &* 100_000_000 &+ Self.eightDigits(digits)
        at &+= 8
        continue
      }
      let length = others.trailingZeroBitCount &>> 3
      if length == 0 { return value }
      // What comes before them becomes leading zeros.
      let aligned = digits &<< UInt64(64 &- 8 &* length)
      at &+= length
      if value == 0 { return Self.eightDigits(aligned) }
      return value &* UInt64(bitPattern: PowersOfTen.int64(length)) &+ Self.eightDigits(aligned)
    }
    while at < count {
      let digit = byte &- 48
      if digit >= 10 { break }
      value = value &* 10 &+ UInt64(digit)
      at &+= 1
    }
    return value
  }

  /// The number of eight digits, the first in the lowest byte: pairs, then fours, then all.
  @inline(__always)
  private static func eightDigits(_ digits: UInt64) -> UInt64 {
    let pairs = digits &* 10 &+ (digits &>> 8)
    let high = (pairs & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
    let low = ((pairs &>> 16) & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001
    return (high &+ low) &>> 32
  }

  @inline(__always)
  private mutating func scanID() -> Bool {
    let start = at
    let value = scanDigits()
    let digits = at &- start
    if digits == 0 || digits > 18 || !atEnd { return false }
    id = .number(value)
    return true
  }
}
