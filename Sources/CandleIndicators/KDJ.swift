/// KDJ: where the close lies in the range of the last n candles, smoothed twice.
///
/// - Formula: `RSV = (C − LL) / (HH − LL) · 100` over n candles, `K = K′ + (RSV − K′)/k`, `D = D′ + (K − D′)/d`,
///   `J = 3K − 2D`.
/// - Seed (`kdj_seed`): `50`: K′ = D′ = 50 before the first RSV (tdx). `first`: K = D = the first RSV. `sma`: K starts
///   with the mean of the first k RSVs, D with the mean of the first d values of K (tradingview, talib).
/// - First value: candle n − 1 with `50` and `first`; n + k + d − 3 with `sma`.
/// - Flat market (HH = LL, `flat`): RSV is 50 (`neutral`, tdx) or 0 (`zero`, talib); with `null` (tradingview) there is
///   no value and K and D keep theirs.
/// - Source: TongDaXin `KDJ` (`SMA(RSV,3,1)`), Pine `ta.stoch` smoothed by `ta.rma`, the same over TA-Lib.
struct KDJ: BitwiseCopyable {
  let period: Int
  let k: Int
  let d: Int
  let kAlpha: Double
  let dAlpha: Double
  let seed: KDJSeed
  /// RSV of a range of zero; NaN for none.
  let flat: Double
  /// Number of raw values from which on both averages run.
  let steadyFrom: Double
  /// Number of its window of highs and lows.
  var window: Int
  /// Place of K, D and the number of raw values so far among the recursions.
  let slot: Int

  init(period: Int, k: Int, d: Int, seed: KDJSeed, flat: FlatValue, window: Int, slot: Int) {
    self.period = period
    self.k = k
    self.d = d
    kAlpha = 1 / Double(k)
    dAlpha = 1 / Double(d)
    self.seed = seed
    self.flat =
      switch flat {
      case .neutral: 50
      case .zero: 0
      case .null: .nan
      }
    steadyFrom =
      switch seed {
      case .fifty: 0
      case .first: 1
      case .sma: Double(k + d - 1)
      }
    self.window = window
    self.slot = slot
  }

  @inline(__always) func write(
    _ candle: ScaledCandle, index: Int, memory: SeriesMemory, committing: Bool,
    to values: UnsafeMutablePointer<Double>
  ) {
    values[0] = .nan
    values[1] = .nan
    values[2] = .nan
    if index < period &- 1 { return }
    let highest = max(memory.highest[window], candle.high)
    let lowest = min(memory.lowest[window], candle.low)
    let range = highest &- lowest
    let raw = range > 0 ? Double(candle.close &- lowest) / Double(range) * 100 : flat
    if raw.isNaN { return }
    let state = memory.recursions + slot
    if state[2] < steadyFrom {
      start(raw, memory: memory, committing: committing, to: values)
      return
    }
    let fast = state[0] + (raw - state[0]) * kAlpha
    let slow = state[1] + (fast - state[1]) * dAlpha
    if committing {
      state[0] = fast
      state[1] = slow
    }
    values[0] = fast
    values[1] = slow
    values[2] = 3 * fast - 2 * slow
  }

  /// The first raw values; until an average has its seed, its place holds a sum.
  @inline(never) private func start(
    _ raw: Double, memory: SeriesMemory, committing: Bool, to values: UnsafeMutablePointer<Double>
  ) {
    let state = memory.recursions + slot
    let seen = state[2]
    var fast = raw
    var slow = raw
    var isShown = true
    if seed == .sma {
      isShown = seen >= Double(k + d - 2)
      slow = state[1]
      if seen < Double(k - 1) {
        fast = state[0] + raw
      } else {
        fast = seen == Double(k - 1) ? (state[0] + raw) / Double(k) : state[0] + (raw - state[0]) * kAlpha
        slow += fast
        if isShown { slow /= Double(d) }
      }
    }
    if committing {
      state[0] = fast
      state[1] = slow
      state[2] += 1
    }
    if isShown {
      values[0] = fast
      values[1] = slow
      values[2] = 3 * fast - 2 * slow
    }
  }
}
