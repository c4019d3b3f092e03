/// An exact decimal number with up to 18 significant digits: `coefficient × 10^-scale`.
///
/// Prices and volumes are of this type from the bytes of the socket to the digits of the answer; no binary float
/// lies between.
///
/// | operation | result | can fail |
/// | --- | --- | --- |
/// | `Fixed < Fixed`, `==` | by value, whatever the scales | no |
/// | `FixedSum + Fixed` | exact | overflow → `nil` |
/// | `FixedSum + Fixed × Fixed` | exact | overflow → `nil` |
/// | `Double(fixed)` | nearest, or one unit in the last place beside it | no |
public struct Fixed: Sendable {
  /// |coefficient| < 10^18.
  public let coefficient: Int64
  /// Number of decimals, 0 … 18. Trailing zeros are allowed: `1.50` is (150, 2) and equals (15, 1).
  public let scale: UInt8

  /// The most significant digits that are kept.
  public static let maximumDigits = 18
  /// The most decimals that are kept.
  public static let maximumScale = 18

  @inlinable public init(coefficient: Int64, scale: UInt8) {
    self.coefficient = coefficient
    self.scale = scale
  }

  public static let zero = Fixed(coefficient: 0, scale: 0)

  @inlinable public var isZero: Bool { coefficient == 0 }
  @inlinable public var isNegative: Bool { coefficient < 0 }

  /// The value in units of 10^-18; always fits.
  @inlinable var wide: Int128 {
    Int128(coefficient) * Int128(PowersOfTen.int64(18 &- Int(scale)))
  }

  /// The same value without trailing zeros after the point.
  public var normalized: Fixed {
    var coefficient = coefficient
    var scale = scale
    while scale > 0, coefficient % 10 == 0 {
      coefficient /= 10
      scale -= 1
    }
    return Fixed(coefficient: coefficient, scale: scale)
  }

  /// The coefficient at another scale, or nil where digits would be lost or it does not fit into 64 bits.
  @inlinable public func coefficient(atScale wanted: UInt8) -> Int64? {
    if wanted == scale { return coefficient }
    if wanted > scale {
      guard wanted - scale <= 18 else { return coefficient == 0 ? 0 : nil }
      let (product, overflow) = coefficient.multipliedReportingOverflow(by: PowersOfTen.int64(Int(wanted - scale)))
      return overflow ? nil : product
    }
    let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen.int64(Int(scale - wanted)))
    return remainder == 0 ? quotient : nil
  }
}

extension Fixed: Comparable, Hashable {
  @inlinable public static func == (a: Fixed, b: Fixed) -> Bool {
    a.scale == b.scale ? a.coefficient == b.coefficient : a.wide == b.wide
  }

  @inlinable public static func < (a: Fixed, b: Fixed) -> Bool {
    a.scale == b.scale ? a.coefficient < b.coefficient : a.wide < b.wide
  }

  public func hash(into hasher: inout Hasher) {
    let value = normalized
    hasher.combine(value.coefficient)
    hasher.combine(value.scale)
  }
}

extension Double {
  /// The nearest double for coefficients below 2^53, else at most one unit in the last place beside it.
  @inlinable public init(_ value: Fixed) {
    self = Double(value.coefficient) / PowersOfTen.double(Int(value.scale))
  }
}

extension Fixed: CustomStringConvertible, ExpressibleByStringLiteral {
  /// The digits, without trailing zeros after the point.
  public var description: String {
    FixedSum(self).description
  }

  /// For tests and constants: traps on text that is no number.
  public init(stringLiteral text: String) {
    guard let value = Fixed(text) else { preconditionFailure("not a fixed-point number: \(text)") }
    self = value
  }

  /// Reads a decimal number by the rules of `DecimalScanner`; nil where it refuses.
  public init?(_ text: String) {
    var copy = text
    let parsed: Fixed? = copy.withUTF8 { bytes in
      if case .value(let value) = DecimalScanner.scan(UnsafeRawBufferPointer(bytes)) { value } else { nil }
    }
    guard let parsed else { return nil }
    self = parsed
  }
}
