import CandleCore

/// Writes binary floats as JSON numbers with 12 significant digits, which is what indicator values are good for.
public enum DoubleText {
  static let significantDigits = 12
  /// Room that every number fits into, in bytes.
  static let maximumLength = 40

  /// - Parameter out: room for 40 bytes.
  /// - Returns: the number of bytes written.
  public static func write(_ value: Double, to out: UnsafeMutableRawPointer) -> Int {
    guard value.isFinite else {
      out.copyMemory(from: StaticString("null").utf8Start, byteCount: 4)
      return 4
    }
    let magnitude = value.magnitude
    if magnitude < 1e-290 {
      out.storeBytes(of: UInt8(ascii: "0"), as: UInt8.self)
      return 1
    }
    // 1233/4096 approximates log10(2); the loops settle the guess.
    var power = (Int(magnitude.exponent) * 1_233) >> 12
    var digits = scaled(magnitude, by: significantDigits - 1 - power)
    if digits >= 1_000_000_000_000 {
      power += 1
      digits = scaled(magnitude, by: significantDigits - 1 - power)
    } else if digits < 100_000_000_000 {
      power -= 1
      digits = scaled(magnitude, by: significantDigits - 1 - power)
      if digits >= 1_000_000_000_000 {
        power += 1
        digits /= 10
      }
    }
    var at = 0
    if value < 0 {
      out.storeBytes(of: UInt8(ascii: "-"), as: UInt8.self)
      at = 1
    }
    if power >= -7, power <= 17 {
      let scale = significantDigits - 1 - power
      if scale >= 0 {
        return at
          &+ DecimalText.write(Fixed(coefficient: digits, scale: UInt8(truncatingIfNeeded: scale)), to: out + at)
      }
      return at + DecimalText.write(digits * PowersOfTen.int64(-scale), to: out + at)
    }
    at += DecimalText.write(Fixed(coefficient: digits, scale: UInt8(significantDigits - 1)), to: out + at)
    out.storeBytes(of: UInt8(ascii: "e"), toByteOffset: at, as: UInt8.self)
    at += 1
    return at + DecimalText.write(Int64(power), to: out + at)
  }

  /// value × 10^power, rounded to a whole number.
  private static func scaled(_ value: Double, by power: Int) -> Int64 {
    var result = value
    var left = power
    while left > 22 {
      result *= 1e22
      left -= 22
    }
    while left < -22 {
      result /= 1e22
      left += 22
    }
    result = left >= 0 ? result * PowersOfTen.double(left) : result / PowersOfTen.double(-left)
    // Below 2^51 the sum has no digits left after the point: rounded to even, without a call.
    let whole = 6_755_399_441_055_744.0
    return Int64((result + whole) - whole)
  }
}
