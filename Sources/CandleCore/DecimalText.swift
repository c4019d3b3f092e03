/// Writes numbers as plain decimal text: all digits, no exponent, no trailing zeros after the point.
public enum DecimalText {
  /// Room that every number of this module fits into: sign, 39 digits, point, up to 36 leading decimals.
  public static let maximumLength = 80

  /// "00" … "99", so that two digits are written at once. A literal: a table that is computed would be asked with every use
  /// whether it has been.
  @usableFromInline static let pairs: StaticString =
    """
    0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849\
    5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899
    """

  /// Number of decimal digits; 1 for zero.
  @inlinable public static func digitCount(_ value: UInt64) -> Int {
    // 1233/4096 approximates log10(2); the table settles the guess.
    let guess = ((64 &- value.leadingZeroBitCount) &* 1233) >> 12
    if guess > 18 { return value >= 10_000_000_000_000_000_000 ? 20 : 19 }
    return guess &+ (value >= UInt64(PowersOfTen.small[guess]) ? 1 : 0) &+ (value == 0 ? 1 : 0)
  }

  /// Writes exactly `count` digits, with leading zeros.
  @inlinable static func writeDigits(_ value: UInt64, count: Int, to out: UnsafeMutableRawPointer) {
    let pairs = UnsafeRawPointer(pairs.utf8Start)
    var rest = value
    var position = count
    while position >= 2 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 100)
      position &-= 2
      out.storeBytes(
        of: pairs.loadUnaligned(fromByteOffset: 2 &* Int(truncatingIfNeeded: remainder), as: UInt16.self),
        toByteOffset: position, as: UInt16.self)
      rest = quotient
    }
    if position == 1 {
      out.storeBytes(of: UInt8(truncatingIfNeeded: 48 &+ rest % 10), as: UInt8.self)
    }
  }

  /// - Returns: the number of bytes written.
  @inlinable public static func write(_ value: Int64, to out: UnsafeMutableRawPointer) -> Int {
    var start = 0
    if value < 0 {
      out.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      start = 1
    }
    let count = digitCount(value.magnitude)
    writeDigits(value.magnitude, count: count, to: out + start)
    return start &+ count
  }

  /// - Returns: the number of bytes written, at most `maximumLength`.
  @inlinable public static func write(_ value: Fixed, to out: UnsafeMutableRawPointer) -> Int {
    write(magnitude: value.coefficient.magnitude, negative: value.coefficient < 0, scale: Int(value.scale), to: out)
  }

  /// - Returns: the number of bytes written, at most `maximumLength`.
  @inlinable public static func write(_ value: FixedSum, to out: UnsafeMutableRawPointer) -> Int {
    if let small = Int64(exactly: value.coefficient) {
      return write(magnitude: small.magnitude, negative: small < 0, scale: Int(value.scale), to: out)
    }
    return writeWide(value, to: out)
  }

  @inlinable static func write(magnitude: UInt64, negative: Bool, scale: Int, to out: UnsafeMutableRawPointer) -> Int {
    var at = 0
    if negative {
      out.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      at = 1
    }
    if scale == 0 {
      let count = digitCount(magnitude)
      writeDigits(magnitude, count: count, to: out + at)
      return at &+ count
    }
    var whole: UInt64 = 0
    var fraction = magnitude
    if scale <= 18 {
      let unit = UInt64(bitPattern: PowersOfTen.int64(scale))
      whole = magnitude / unit
      fraction = magnitude &- whole &* unit
    }
    let count = digitCount(whole)
    writeDigits(whole, count: count, to: out + at)
    at &+= count
    if fraction == 0 { return at }
    out.storeBytes(of: UInt8(ascii: "."), toByteOffset: at, as: UInt8.self)
    at &+= 1
    if scale <= 18 {
      writeDigits(fraction, count: scale, to: out + at)
    } else {
      let digits = min(scale, 20)
      for zero in 0..<(scale &- digits) {
        out.storeBytes(of: UInt8(ascii: "0"), toByteOffset: at &+ zero, as: UInt8.self)
      }
      writeDigits(fraction, count: digits, to: out + at + (scale &- digits))
    }
    at &+= scale
    while out.load(fromByteOffset: at &- 1, as: UInt8.self) == UInt8(ascii: "0") { at &-= 1 }
    return at
  }

  /// The slow path for what does not fit into 64 bits.
  @usableFromInline static func writeWide(_ value: FixedSum, to out: UnsafeMutableRawPointer) -> Int {
    var digits = InlineArray<40, UInt8>(repeating: 0)
    var count = 0
    var rest = value.coefficient.magnitude
    while rest != 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 1_000_000_000)
      var part = UInt64(remainder)
      for _ in 0..<9 where quotient != 0 || part != 0 {
        digits[count] = UInt8(48 + part % 10)
        part /= 10
        count += 1
      }
      rest = quotient
    }
    var skip = 0
    let scale = Int(value.scale)
    while skip < scale, skip < count, digits[skip] == 48 { skip += 1 }
    var at = 0
    func put(_ byte: UInt8) {
      out.storeBytes(of: byte, toByteOffset: at, as: UInt8.self)
      at += 1
    }
    if value.coefficient < 0 { put(UInt8(ascii: "-")) }
    if count <= scale { put(UInt8(ascii: "0")) }
    var index = max(count, scale) - 1
    while index >= skip {
      if index == scale - 1 { put(UInt8(ascii: ".")) }
      put(index < count ? digits[index] : 48)
      index -= 1
    }
    return at
  }
}
