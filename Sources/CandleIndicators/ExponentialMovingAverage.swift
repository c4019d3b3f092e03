/// EMA: the exponential moving average of the close.
///
/// - Formula: `Y = Y′ + (C − Y′) · 2/(n + 1)`. In this form a constant price stays that price to the last bit.
/// - Seed (`ema_seed`): `first`: `Y = C` at candle 0 (tdx). `sma`: the mean of the first n closes (tradingview,
///   talib).
/// - First value: candle 0 with `first`, candle n − 1 with `sma`.
/// - Flat market: approaches the price.
/// - Source: TongDaXin `EMA(CLOSE,n)`, Pine `ta.ema`, TA-Lib `EMA`.
struct ExponentialMovingAverage: BitwiseCopyable {
  let alpha: Double
  /// Candle at which the average starts.
  let start: Int
  let seed: EMASeed
  /// Number of the sum of closes that gives the seed.
  let sum: Int
  /// Place of its state among the recursions.
  let slot: Int

  init(period: Int, seed: EMASeed, sum: Int, slot: Int) {
    alpha = 2 / (Double(period) + 1)
    start = seed == .first ? 0 : period - 1
    self.seed = seed
    self.sum = sum
    self.slot = slot
  }

  @inline(__always) func value(_ candle: ScaledCandle, index: Int, memory: SeriesMemory, committing: Bool) -> Double {
    if index < start { return .nan }
    let value: Double
    if index > start {
      let previous = memory.recursions[slot]
      value = previous + (candle.price - previous) * alpha
    } else {
      value = seed == .first ? candle.price : MovingAverage.mean(candle, sum: sum, memory: memory)
    }
    if committing { memory.recursions[slot] = value }
    return value
  }
}
