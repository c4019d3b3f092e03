/// A settled candle came into being or changed; to be stored, then published.
public struct CandleUpdate: Sendable, Equatable {
  public enum Kind: UInt8, Sendable {
    /// First settled; in `open_time` order within a series.
    case closed
    /// Settled before and changed since, or made by a late tick where no candle was.
    case corrected
  }

  public var series: SeriesKey
  public var kind: Kind
  public var candle: Candle

  public init(series: SeriesKey, kind: Kind, candle: Candle) {
    self.series = series
    self.kind = kind
    self.candle = candle
  }
}

/// Where a settler puts what it decides; one counter of versions over all symbols.
public struct SettlementOutput: Sendable {
  /// The version last given.
  public var version: Int64
  public var updates: ContiguousArray<CandleUpdate> = []

  public init(version: Int64) { self.version = version }

  mutating func nextVersion() -> Int64 {
    version += 1
    return version
  }
}
