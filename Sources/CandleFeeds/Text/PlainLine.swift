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
    var value: UInt64 = 0
    while at < count {
      let digit = byte &- 48
      if digit >= 10 { break }
      value = value &* 10 &+ UInt64(digit)
      at &+= 1
    }
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
    var value: Int64 = 0
    var point = -1
    while at < count {
      let next = byte
      let digit = next &- 48
      if digit < 10 {
        value = value &* 10 &+ Int64(digit)
      } else if next == UInt8(ascii: "."), point < 0 {
        point = at
      } else {
        break
      }
      at &+= 1
    }
    let digits = at &- start &- (point < 0 ? 0 : 1)
    if digits == 0 || digits > 18 { return nil }
    return Fixed(coefficient: value, scale: point < 0 ? 0 : UInt8(truncatingIfNeeded: at &- point &- 1))
  }

  @inline(__always)
  private mutating func scanID() -> Bool {
    let start = at
    var value: UInt64 = 0
    while at < count {
      let digit = byte &- 48
      if digit >= 10 { break }
      value = value &* 10 &+ UInt64(digit)
      at &+= 1
    }
    let digits = at &- start
    if digits == 0 || digits > 18 || !atEnd { return false }
    id = .number(value)
    return true
  }
}
