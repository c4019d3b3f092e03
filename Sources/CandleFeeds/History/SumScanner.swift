import CandleCore

/// Reads decimal numbers of up to 38 significant digits: sums, which have more digits than the 18 of a price.
enum SumScanner {
  enum Outcome: Equatable {
    case value(FixedSum)
    /// Not a number (also NaN and infinity).
    case malformed
    /// A number with more decimals than asked for, or more than 38 digits.
    case precision
  }

  static let maximumDigits = 38

  /// Reads the whole of `text` as one number in the forms of `DecimalScanner`.
  /// - Parameter maximumScale: the most decimals, 0 … 36.
  static func scan(_ text: UnsafeRawBufferPointer, maximumScale: Int) -> Outcome {
    switch DecimalScanner.scan(text) {
    case .value(let value): .value(FixedSum(value))
    case .malformed: .malformed
    case .precision: scanWide(text, maximumScale: maximumScale).map(Outcome.value) ?? .precision
    }
  }

  /// - Parameter text: known to be a number other than zero.
  private static func scanWide(_ text: UnsafeRawBufferPointer, maximumScale: Int) -> FixedSum? {
    var coefficient: Int128 = 0
    var significant = 0
    var pendingZeros = 0
    var decimals = 0
    var seenPoint = false
    var at = text[0] == UInt8(ascii: "-") || text[0] == UInt8(ascii: "+") ? 1 : 0
    while at < text.count {
      let digit = text[at] &- 48
      if digit < 10 {
        if seenPoint { decimals += 1 }
        if digit > 0 {
          significant += pendingZeros + 1
          if significant > maximumDigits { return nil }
          for _ in 0..<pendingZeros { coefficient *= 10 }
          coefficient = coefficient * 10 + Int128(digit)
          pendingZeros = 0
        } else if significant > 0 {
          pendingZeros += 1
        }
      } else if text[at] == UInt8(ascii: ".") {
        seenPoint = true
      } else {
        break
      }
      at += 1
    }
    if text[0] == UInt8(ascii: "-") { coefficient = -coefficient }
    // The value is coefficient × 10^power, its last digit not zero.
    let power = exponent(UnsafeRawBufferPointer(rebasing: text[at...])) - decimals + pendingZeros
    if power < 0 { return -power <= maximumScale ? FixedSum(coefficient: coefficient, scale: UInt8(-power)) : nil }
    guard power <= 36, significant + power <= maximumDigits else { return nil }
    return FixedSum(coefficient: coefficient * PowersOfTen.int128(power), scale: 0)
  }

  /// The number behind `e`; 0 where there is none.
  private static func exponent(_ text: UnsafeRawBufferPointer) -> Int {
    var value = 0
    var isNegative = false
    for byte in text.dropFirst() {
      if byte == UInt8(ascii: "-") { isNegative = true }
      if byte &- 48 < 10 { value = min(value * 10 + Int(byte &- 48), 1_000_000) }
    }
    return isNegative ? -value : value
  }
}
