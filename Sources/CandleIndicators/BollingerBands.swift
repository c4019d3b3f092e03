/// BOLL: a moving average with a band of k standard deviations around it.
///
/// - Formula: `MB = MA(n)`, `σ = √((n·Σ C² − (Σ C)²) / (n·(n − ddof)))`, `UP = MB + k·σ`, `DN = MB − k·σ`. Both sums
///   are exact integers, so their difference loses nothing, however far the price is from zero, and a flat window has
///   σ = 0 exactly.
/// - Seed: none.
/// - Divisor (`boll_ddof`): 1, the sample's deviation (tdx); 0, the population's (tradingview, talib).
/// - First value: candle n − 1.
/// - Flat market: all three are the price.
/// - Source: TongDaXin `BOLL` (`STD`), Pine `ta.bb`, TA-Lib `BBANDS`.
struct BollingerBands: BitwiseCopyable {
  let period: Int
  let multiplier: Double
  /// n·(n − ddof).
  let divisor: Double
  /// Number of its sum among the sums of closes.
  let sum: Int

  init(period: Int, ddof: Int, multiplier: Double, sum: Int) {
    self.period = period
    self.multiplier = multiplier
    divisor = Double(period) * Double(period - ddof)
    self.sum = sum
  }

  @inline(__always) func write(
    _ candle: ScaledCandle, index: Int, memory: SeriesMemory, to values: UnsafeMutablePointer<Double>
  ) {
    if index < period &- 1 {
      values[0] = .nan
      values[1] = .nan
      values[2] = .nan
      return
    }
    let total = memory.closeSums[sum] &+ candle.close
    let squares = memory.header.pointee.squares &+ SeriesMemory.square(candle.close)
    let spread = Int128(truncatingIfNeeded: period) &* squares &- SeriesMemory.square(total)
    let deviation = (Double(nearly: spread) / divisor).squareRoot() / memory.header.pointee.pricePower
    let middle = Double(total) / memory.closeDivisors[sum]
    values[0] = middle
    values[1] = middle + multiplier * deviation
    values[2] = middle - multiplier * deviation
  }
}
