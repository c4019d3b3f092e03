/// MA: the simple moving average of the close.
///
/// - Formula: `MA(n) = (C₀ + … + Cₙ₋₁) / n`, over the candle and the n − 1 before it. The sum is exact, so the value
///   is the rational mean rounded once.
/// - Seed: none.
/// - First value: candle n − 1 (the first candle is 0), in every convention.
/// - Flat market: the price.
/// - Source: TongDaXin `MA(CLOSE,n)`, Pine `ta.sma`, TA-Lib `SMA`.
struct MovingAverage: BitwiseCopyable {
  let period: Int
  /// Number of its sum among the sums of closes.
  let sum: Int

  @inline(__always) func value(_ candle: ScaledCandle, index: Int, memory: SeriesMemory) -> Double {
    if index < period &- 1 { return .nan }
    return Self.mean(candle, sum: sum, memory: memory)
  }

  /// The mean of the forming close and the committed ones of a sum.
  @inline(__always) static func mean(_ candle: ScaledCandle, sum: Int, memory: SeriesMemory) -> Double {
    Double(memory.closeSums[sum] &+ candle.close) / memory.closeDivisors[sum]
  }
}
