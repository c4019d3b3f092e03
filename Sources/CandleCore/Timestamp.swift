/// Unix time in milliseconds: the unit of every interface that does not say otherwise.
public typealias Milliseconds = Int64

/// The event time of a tick as it was sent, to the nanosecond.
///
/// Nanoseconds keep the order that a source gives within one millisecond; candles only use `milliseconds`.
public struct Timestamp: Comparable, Hashable, Sendable {
  /// Unix time in nanoseconds, 0 … 2^63 − 1 (the year 2262).
  public let nanoseconds: Int64

  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
  @inlinable public init(milliseconds: Milliseconds) { nanoseconds = milliseconds &* 1_000_000 }

  /// Floored, never rounded: rounding would move ticks into the next candle.
  @inlinable public var milliseconds: Milliseconds { nanoseconds / 1_000_000 }

  /// Milliseconds in nanoseconds, or the nearest number that 64 bits hold.
  static func nanoseconds(clamping milliseconds: Milliseconds) -> Int64 {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? (milliseconds < 0 ? .min : .max) : product
  }

  @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool { a.nanoseconds < b.nanoseconds }
}

/// The unit in which a source sends its timestamps.
public enum TimestampUnit: String, Sendable, CaseIterable {
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"
  /// By the digits before the point: up to 11 s, up to 14 ms, up to 17 µs, else ns.
  case auto

  /// Decimal digits of the unit below the second.
  @inlinable public func power(digits: Int) -> Int {
    switch self {
    case .seconds: 0
    case .milliseconds: 3
    case .microseconds: 6
    case .nanoseconds: 9
    case .auto: digits <= 11 ? 0 : digits <= 14 ? 3 : digits <= 17 ? 6 : 9
    }
  }
}

extension Timestamp {
  /// Reads a Unix time with an optional fraction, floored to the nanosecond.
  /// - Returns: nil if it is no such number, negative, or past the year 2262.
  @inlinable public static func scan(_ text: UnsafeRawBufferPointer, unit: TimestampUnit) -> Timestamp? {
    var at = 0
    let count = text.count
    var value: UInt64 = 0
    while at < count {
      let digit = text[at] &- 48
      if digit >= 10 { break }
      if at >= 19 { return nil }
      value = value &* 10 &+ UInt64(digit)
      at &+= 1
    }
    let digits = at
    if digits == 0 { return nil }
    var decimals = 9 &- unit.power(digits: digits)
    if at < count {
      guard text[at] == UInt8(ascii: ".") else { return nil }
      at &+= 1
      while at < count {
        let digit = text[at] &- 48
        guard digit < 10 else { return nil }
        if decimals > 0 {
          let (product, overflow) = value.multipliedReportingOverflow(by: 10)
          if overflow { return nil }
          value = product &+ UInt64(digit)
          decimals &-= 1
        }
        at &+= 1
      }
    }
    let (scaled, overflow) = value.multipliedReportingOverflow(by: UInt64(PowersOfTen.int64(decimals)))
    guard !overflow, let nanoseconds = Int64(exactly: scaled) else { return nil }
    return Timestamp(nanoseconds: nanoseconds)
  }
}
