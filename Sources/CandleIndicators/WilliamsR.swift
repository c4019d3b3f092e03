/// WR: Williams %R, how far the close lies below the highest high of the last n candles.
///
/// - Formula: `WR = (C − HH) / (HH − LL) · 100`, from −100 to 0 in every convention. Highs, lows and their differences
///   are exact integers.
/// - Seed: none.
/// - First value: candle n − 1.
/// - Flat market (HH = LL, `flat`): −50 (`neutral`, tdx), none (`null`, tradingview), 0 (`zero`, talib).
/// - Source: Pine `ta.wpr`, TA-Lib `WILLR`; TongDaXin's `WR` is the same with the sign turned, as K-line charts draw it.
struct WilliamsR: BitwiseCopyable {
  let period: Int
  /// The value of a range of zero; NaN for none.
  let flat: Double
  /// Number of its window of highs and lows.
  var window: Int

  init(period: Int, flat: FlatValue, window: Int) {
    self.period = period
    self.flat =
      switch flat {
      case .neutral: -50
      case .zero: 0
      case .null: .nan
      }
    self.window = window
  }

  @inline(__always) func value(_ candle: ScaledCandle, index: Int, memory: SeriesMemory) -> Double {
    if index < period &- 1 { return .nan }
    let highest = max(memory.highest[window], candle.high)
    let lowest = min(memory.lowest[window], candle.low)
    let range = highest &- lowest
    return range > 0 ? Double(candle.close &- highest) / Double(range) * 100 : flat
  }
}
