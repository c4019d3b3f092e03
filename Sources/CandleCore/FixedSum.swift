/// An exact decimal sum: `coefficient × 10^-scale` with 128 bits, for volume (scale up to 18) and turnover (up to 36).
///
/// The scale only grows: it is the largest of the numbers that were added. What does not fit is reported, never
/// wrapped.
public struct FixedSum: Sendable {
  public var coefficient: Int128
  /// 0 … 36.
  public var scale: UInt8

  @inlinable public init(coefficient: Int128, scale: UInt8) {
    self.coefficient = coefficient
    self.scale = scale
  }

  @inlinable public init(_ value: Fixed) {
    coefficient = Int128(value.coefficient)
    scale = value.scale
  }

  public static let zero = FixedSum(coefficient: 0, scale: 0)

  @inlinable public var isZero: Bool { coefficient == 0 }

  /// The exact product.
  @inlinable public static func product(_ a: Fixed, _ b: Fixed) -> FixedSum {
    let (high, low) = a.coefficient.multipliedFullWidth(by: b.coefficient)
    return FixedSum(coefficient: Int128(high) << 64 | Int128(low), scale: a.scale &+ b.scale)
  }

  /// Adds another sum.
  /// - Returns: false, and leaves the value as it was, if the sum does not fit.
  @inlinable public mutating func add(_ other: FixedSum) -> Bool {
    if other.scale == scale {
      let (sum, overflow) = coefficient.addingReportingOverflow(other.coefficient)
      if overflow { return false }
      coefficient = sum
      return true
    }
    return addRescaled(other)
  }

  @inlinable public mutating func add(_ other: Fixed) -> Bool { add(FixedSum(other)) }

  /// Adds `value × 10^-decimals`; the number of decimals changes from tick to tick, and a short number is stretched by one
  /// multiplication that cannot overflow.
  @inline(__always)
  mutating func add(small value: Int64, scale decimals: UInt8) -> Bool {
    var addend = Int128(value)
    if decimals != scale {
      guard decimals < scale, scale &- decimals <= 18 else {
        return addRescaled(FixedSum(coefficient: addend, scale: decimals))
      }
      let (high, low) = value.multipliedFullWidth(by: PowersOfTen.int64(Int(scale &- decimals)))
      addend = Int128(high) << 64 | Int128(low)
    }
    let (sum, overflow) = coefficient.addingReportingOverflow(addend)
    if overflow { return false }
    coefficient = sum
    return true
  }

  @usableFromInline mutating func addRescaled(_ other: FixedSum) -> Bool {
    // The number of decimals changes from tick to tick: a short one is stretched by one multiplication that cannot
    // overflow.
    if other.scale < scale, scale &- other.scale <= 18, let small = Int64(exactly: other.coefficient) {
      let (high, low) = small.multipliedFullWidth(by: PowersOfTen.int64(Int(scale &- other.scale)))
      let (sum, overflow) = coefficient.addingReportingOverflow(Int128(high) << 64 | Int128(low))
      if overflow { return false }
      coefficient = sum
      return true
    }
    let common = max(scale, other.scale)
    guard let a = coefficient(atScale: common), let b = other.coefficient(atScale: common) else { return false }
    let (sum, overflow) = a.addingReportingOverflow(b)
    if overflow { return false }
    coefficient = sum
    scale = common
    return true
  }

  /// The coefficient at another scale, or nil where digits would be lost or it does not fit.
  public func coefficient(atScale wanted: UInt8) -> Int128? {
    if wanted == scale { return coefficient }
    if wanted > scale {
      let (product, overflow) = coefficient.multipliedReportingOverflow(by: PowersOfTen.int128(Int(wanted - scale)))
      return overflow ? nil : product
    }
    let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: PowersOfTen.int128(Int(scale - wanted)))
    return remainder == 0 ? quotient : nil
  }

  /// The same value with the smallest scale that holds it.
  public var normalized: FixedSum {
    if coefficient == 0 { return .zero }
    var value = self
    // Most sums fit into 64 bits, where a division is ten times cheaper.
    if var small = Int64(exactly: coefficient) {
      while value.scale > 0, small % 10 == 0 {
        small /= 10
        value.scale -= 1
      }
      value.coefficient = Int128(small)
      return value
    }
    while value.scale > 0 {
      let (quotient, remainder) = value.coefficient.quotientAndRemainder(dividingBy: 10)
      if remainder != 0 { break }
      value.coefficient = quotient
      value.scale -= 1
    }
    return value
  }
}

extension FixedSum: Equatable {
  public static func == (a: FixedSum, b: FixedSum) -> Bool {
    if a.scale == b.scale { return a.coefficient == b.coefficient }
    let x = a.normalized
    let y = b.normalized
    return x.scale == y.scale && x.coefficient == y.coefficient
  }
}

extension Double {
  /// Within one unit in the last place. High and low word are converted apart: the library's conversion of a
  /// 128-bit integer takes microseconds.
  @inlinable public init(_ value: FixedSum) {
    let magnitude = value.coefficient.magnitude
    let high = UInt64(truncatingIfNeeded: magnitude >> 64)
    let low = UInt64(truncatingIfNeeded: magnitude)
    let absolute = high == 0 ? Double(low) : Double(high) * 18_446_744_073_709_551_616.0 + Double(low)
    let scaled = absolute / PowersOfTen.double(Int(value.scale))
    self = value.coefficient < 0 ? -scaled : scaled
  }
}

extension FixedSum: CustomStringConvertible {
  /// The digits, without trailing zeros after the point.
  public var description: String {
    withUnsafeTemporaryAllocation(byteCount: DecimalText.maximumLength, alignment: 1) { buffer in
      let length = DecimalText.write(self, to: buffer.baseAddress!)
      return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<length]), as: UTF8.self)
    }
  }
}
