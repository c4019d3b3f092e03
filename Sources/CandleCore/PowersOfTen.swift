/// Powers of ten as integers, by table: the numbers of this module are decimal, and every change of scale is a
/// multiplication or division by one of these.
public enum PowersOfTen {
  /// 10^0 … 10^18, all that fit into `Int64`.
  @usableFromInline static let small: InlineArray<19, Int64> = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000, 1_000_000_000_000_000_000,
  ]

  /// 10^exponent.
  /// - Parameter exponent: 0 … 18.
  @inlinable public static func int64(_ exponent: Int) -> Int64 { small[exponent] }

  /// 10^exponent.
  /// - Parameter exponent: 0 … 36.
  @inlinable public static func int128(_ exponent: Int) -> Int128 {
    if exponent <= 18 { return Int128(small[exponent]) }
    return Int128(small[18]) * Int128(small[exponent - 18])
  }

  /// 10^0 … 10^22 are exact in binary floating point.
  @usableFromInline static let doubles: InlineArray<23, Double> = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  /// 10^exponent.
  /// - Parameter exponent: 0 … 44; exact up to 22.
  @inlinable public static func double(_ exponent: Int) -> Double {
    exponent <= 22 ? doubles[exponent] : doubles[22] * doubles[exponent - 22]
  }
}
