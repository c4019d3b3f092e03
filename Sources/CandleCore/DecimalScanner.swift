/// Reads decimal numbers from text digit by digit, never through a binary float.
///
/// Accepted: `36500.25`, `.5`, `5.`, `+5`, `-5`, `1e-8`, `1E+3`. Leading zeros, and trailing zeros after the point, are
/// not significant.
public enum DecimalScanner {
  public enum Outcome: Equatable, Sendable {
    case value(Fixed)
    /// Not a number (also NaN and infinity).
    case malformed
    /// A number with more than 18 significant digits or 18 decimals, or of 10^18 and more.
    case precision
  }

  /// Reads the whole of `text` as one number; spaces are not skipped.
  @inlinable public static func scan(_ text: UnsafeRawBufferPointer) -> Outcome {
    // The common case: up to 18 digits and at most one point.
    let count = text.count
    if count == 0 { return .malformed }
    if count <= 19 {
      var coefficient: Int64 = 0
      var point = -1
      var at = 0
      while at < count {
        let digit = text[at] &- 48
        if digit < 10 {
          coefficient = coefficient &* 10 &+ Int64(digit)
        } else if text[at] == UInt8(ascii: "."), point < 0 {
          point = at
        } else {
          return scanSlowly(text)
        }
        at &+= 1
      }
      if point < 0 {
        return count <= 18 ? .value(Fixed(coefficient: coefficient, scale: 0)) : scanSlowly(text)
      }
      if count > 1 {
        return .value(Fixed(coefficient: coefficient, scale: UInt8(truncatingIfNeeded: count &- 1 &- point)))
      }
    }
    return scanSlowly(text)
  }

  /// Every form: signs, exponents, long runs of zeros.
  @usableFromInline @inline(never) static func scanSlowly(_ text: UnsafeRawBufferPointer) -> Outcome {
    var at = 0
    let count = text.count
    var negative = false
    if at < count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
      negative = text[at] == UInt8(ascii: "-")
      at += 1
    }
    var coefficient: Int64 = 0
    var significant = 0
    var pendingZeros = 0
    var decimals = 0
    var seenPoint = false
    var seenDigit = false
    var tooLong = false
    while at < count {
      let byte = text[at]
      let digit = byte &- 48
      if digit < 10 {
        seenDigit = true
        if seenPoint { decimals += 1 }
        if digit == 0 {
          if significant > 0 { pendingZeros += 1 }
        } else {
          if significant + pendingZeros + 1 > Fixed.maximumDigits {
            tooLong = true
          } else {
            for _ in 0..<pendingZeros { coefficient *= 10 }
            coefficient = coefficient * 10 + Int64(digit)
          }
          significant += pendingZeros + 1
          pendingZeros = 0
        }
      } else if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
      } else {
        break
      }
      at += 1
    }
    if !seenDigit { return .malformed }
    var exponent = 0
    if at < count {
      guard text[at] == UInt8(ascii: "e") || text[at] == UInt8(ascii: "E") else { return .malformed }
      at += 1
      var negativeExponent = false
      if at < count, text[at] == UInt8(ascii: "-") || text[at] == UInt8(ascii: "+") {
        negativeExponent = text[at] == UInt8(ascii: "-")
        at += 1
      }
      guard at < count else { return .malformed }
      while at < count {
        let digit = text[at] &- 48
        guard digit < 10 else { return .malformed }
        exponent = min(exponent * 10 + Int(digit), 1_000_000)
        at += 1
      }
      if negativeExponent { exponent = -exponent }
    }
    if significant == 0 { return .value(.zero) }
    if tooLong { return .precision }
    // The value is coefficient × 10^power, its last digit not zero.
    let power = exponent - decimals + pendingZeros
    if power < 0 {
      guard -power <= Fixed.maximumScale, significant <= Fixed.maximumDigits else { return .precision }
      return .value(Fixed(coefficient: negative ? -coefficient : coefficient, scale: UInt8(-power)))
    }
    guard significant + power <= Fixed.maximumDigits else { return .precision }
    let value = coefficient * PowersOfTen.int64(power)
    return .value(Fixed(coefficient: negative ? -value : value, scale: 0))
  }
}
