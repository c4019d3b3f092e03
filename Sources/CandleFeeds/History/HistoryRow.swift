import CandleCore

/// A candle as a history source or a file gives it, checked: aligned, finite, low ≤ open, close ≤ high, no negative
/// volume.
public struct HistoryRow: Sendable, Equatable {
  /// Unix milliseconds, a boundary of the timeframe.
  public var openTime: Milliseconds
  public var open: Fixed
  public var high: Fixed
  public var low: Fixed
  public var close: Fixed
  /// 0 where the source has none.
  public var volume: FixedSum
  /// nil where the source has none, or more digits than fit.
  public var turnover: FixedSum?
  public var takerBuyVolume: FixedSum?
  public var ticks: Int64?
  /// False where the source itself says that it did not listen for the whole interval. Only candled's own formats say
  /// so.
  public var complete: Bool

  public init(
    openTime: Milliseconds, open: Fixed, high: Fixed, low: Fixed, close: Fixed, volume: FixedSum = .zero,
    turnover: FixedSum? = nil, takerBuyVolume: FixedSum? = nil, ticks: Int64? = nil, complete: Bool = true
  ) {
    self.openTime = openTime
    self.open = open
    self.high = high
    self.low = low
    self.close = close
    self.volume = volume
    self.turnover = turnover
    self.takerBuyVolume = takerBuyVolume
    self.ticks = ticks
    self.complete = complete
  }

  /// What a candle filled from this row holds.
  public var content: CandleContent {
    CandleContent(
      open: open, high: high, low: low, close: close, volume: volume, turnover: turnover,
      takerBuyVolume: takerBuyVolume, ticks: ticks)
  }
}
