/// RSI: the share of the rises in all movement of the close.
///
/// - Formula: `RSI = 100 · U / A`, where U and A are the averages `Y = Y′ + (X − Y′)/n` of `max(ΔC, 0)` and `|ΔC|`.
/// - Seed (`rsi_seed`): `first`: the first change (tdx). `sma`: the means of the first n changes (tradingview, talib).
/// - First value: candle n.
/// - Flat market: the averages fade together, so the value stays. Where the price has never moved (A = 0): 50
///   (`neutral`, tdx), none (`null`, tradingview), 0 (`zero`, talib).
/// - Source: TongDaXin `RSI` (`SMA(MAX(CLOSE-LC,0),N,1)/SMA(ABS(CLOSE-LC),N,1)*100`), Pine `ta.rsi`, TA-Lib `RSI`
///   (Wilder's smoothing: the same recursion).
struct RSI: BitwiseCopyable {
  let period: Int
  let alpha: Double
  /// The value without any movement; NaN for none.
  let flat: Double
  /// Candle at which the averages start.
  let start: Int
  /// Place of U and A among the recursions.
  let slot: Int

  /// Averages below this are frozen while the price stands: fading on, they would lose digits and then vanish.
  static let frozenBelow = 1e-250

  init(period: Int, seed: RSISeed, flat: FlatValue, slot: Int) {
    self.period = period
    alpha = 1 / Double(period)
    self.flat =
      switch flat {
      case .neutral: 50
      case .zero: 0
      case .null: .nan
      }
    start = seed == .first ? 1 : period
    self.slot = slot
  }

  /// - Parameter change: the close less the close before; 0 at candle 0.
  @inline(__always) func value(change: Double, index: Int, memory: SeriesMemory, committing: Bool) -> Double {
    let state = memory.recursions + slot
    let rise = change > 0 ? change : 0
    let movement = change.magnitude
    var up = state[0]
    var all = state[1]
    if index > start {
      if movement > 0 || all >= Self.frozenBelow {
        up += (rise - up) * alpha
        all += (movement - all) * alpha
      }
    } else {
      // Up to the seed the places hold sums; the first change is a sum of one.
      up += rise
      all += movement
      if index == start {
        let count = Double(max(1, start))
        up /= count
        all /= count
      }
    }
    if committing {
      state[0] = up
      state[1] = all
    }
    if index < period { return .nan }
    return all > 0 ? 100 * up / all : flat
  }
}
