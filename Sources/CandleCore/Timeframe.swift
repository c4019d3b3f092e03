/// The length of a candle. Candles are aligned to the Unix epoch in UTC; a week starts on Monday.
public enum Timeframe: UInt8, Sendable, CaseIterable, Comparable {
  case S1, S5, S15, S30, M1, M3, M5, M15, M30, H1, H2, H4, H6, H8, H12, D1, W1

  /// 1970-01-05, the first Monday of the epoch.
  @usableFromInline static let weekOffset: Milliseconds = 4 * 86_400_000

  @usableFromInline static let intervals: InlineArray<17, Milliseconds> = [
    1_000, 5_000, 15_000, 30_000, 60_000, 180_000, 300_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000,
    21_600_000, 28_800_000, 43_200_000, 86_400_000, 604_800_000,
  ]

  static let names = [
    "S1", "S5", "S15", "S30", "M1", "M3", "M5", "M15", "M30", "H1", "H2", "H4", "H6", "H8", "H12", "D1", "W1",
  ]

  /// Length in milliseconds.
  @inlinable public var interval: Milliseconds { Self.intervals[Int(rawValue)] }

  public var name: String { Self.names[Int(rawValue)] }

  /// - Parameter name: as in the configuration and on the wire, e.g. `M15`.
  public init?(_ name: some StringProtocol) {
    guard let index = Self.names.firstIndex(where: { $0 == name }) else { return nil }
    self.init(rawValue: UInt8(index))
  }

  @inlinable public static func < (a: Timeframe, b: Timeframe) -> Bool { a.rawValue < b.rawValue }

  /// Open time of the candle that a moment belongs to; a moment on a boundary opens the new candle.
  @inlinable public func openTime(of time: Milliseconds) -> Milliseconds {
    let offset = self == .W1 ? Self.weekOffset : 0
    let shifted = time &- offset
    let remainder = shifted % interval
    return time &- (remainder < 0 ? remainder &+ interval : remainder)
  }

  /// The first boundary after a moment.
  @inlinable public func nextBoundary(after time: Milliseconds) -> Milliseconds { openTime(of: time) &+ interval }

  /// Whether each candle of the longer timeframe is made of whole candles of this one.
  public func divides(_ longer: Timeframe) -> Bool {
    self < longer && longer.interval % interval == 0
  }
}
