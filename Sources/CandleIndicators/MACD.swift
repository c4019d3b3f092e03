/// MACD: the difference of a fast and a slow exponential average of the close, and the average of that difference.
///
/// - Formula: `DIF = EMA(C, fast) − EMA(C, slow)`, `DEA = EMA(DIF, signal)`, `HIST = m·(DIF − DEA)`.
/// - Multiplier (`macd_multiplier`): 2 (tdx), 1 (tradingview, talib).
/// - Seed (`ema_seed`): `first`: every average starts with its first value, so DIF and DEA start at 0 (tdx). `sma`:
///   the mean of the first n values of each: closes for the two averages, differences for DEA. With convention `talib`
///   the fast average is seeded with the `fast` closes that end at candle slow − 1, where the slow one starts.
/// - First value: `first`: candle 0. `sma`: DIF at candle slow − 1, DEA and HIST at slow + signal − 2. Convention
///   `talib` shows DIF from there on too.
/// - Flat market: approaches 0; exactly 0 if the price never moved.
/// - Source: TongDaXin `MACD`, Pine `ta.macd`, TA-Lib `MACD` (`TA_INT_MACD` for the alignment).
struct MACD: BitwiseCopyable {
  let fastAlpha: Double
  let slowAlpha: Double
  let signalAlpha: Double
  let multiplier: Double
  let signal: Int
  /// Candles at which the averages start.
  let fastStart: Int
  let slowStart: Int
  let signalStart: Int
  /// First candle with a shown difference.
  let shownFrom: Int
  let seed: EMASeed
  let fastSum: Int
  let slowSum: Int
  /// Place of the fast average, the slow one and DEA among the recursions.
  let slot: Int

  init(
    fast: Int, slow: Int, signal: Int, seed: EMASeed, aligned: Bool, multiplier: Double, fastSum: Int, slowSum: Int,
    slot: Int
  ) {
    fastAlpha = 2 / (Double(fast) + 1)
    slowAlpha = 2 / (Double(slow) + 1)
    signalAlpha = 2 / (Double(signal) + 1)
    self.multiplier = multiplier
    self.signal = signal
    switch seed {
    case .first:
      fastStart = 0
      slowStart = 0
      signalStart = 0
    case .sma:
      fastStart = aligned ? max(fast, slow) - 1 : fast - 1
      slowStart = slow - 1
      signalStart = max(fast, slow) + signal - 2
    }
    shownFrom = aligned ? max(fast, slow) + signal - 2 : max(fastStart, slowStart)
    self.seed = seed
    self.fastSum = fastSum
    self.slowSum = slowSum
    self.slot = slot
  }

  @inline(__always) func write(
    _ candle: ScaledCandle, index: Int, memory: SeriesMemory, committing: Bool,
    to values: UnsafeMutablePointer<Double>
  ) {
    let state = memory.recursions + slot
    if index <= signalStart {
      start(candle, index: index, memory: memory, committing: committing, to: values)
      return
    }
    let fast = state[0] + (candle.price - state[0]) * fastAlpha
    let slow = state[1] + (candle.price - state[1]) * slowAlpha
    let difference = fast - slow
    let average = state[2] + (difference - state[2]) * signalAlpha
    if committing {
      state[0] = fast
      state[1] = slow
      state[2] = average
    }
    let isShown = index >= shownFrom
    values[0] = isShown ? difference : .nan
    values[1] = isShown ? average : .nan
    values[2] = isShown ? multiplier * (difference - average) : .nan
  }

  /// The candles up to the one at which the last of the averages starts; until then DEA's place holds the sum of the
  /// differences.
  @inline(never) private func start(
    _ candle: ScaledCandle, index: Int, memory: SeriesMemory, committing: Bool,
    to values: UnsafeMutablePointer<Double>
  ) {
    let state = memory.recursions + slot
    values[0] = .nan
    values[1] = .nan
    values[2] = .nan
    let fast = average(
      candle, previous: state[0], alpha: fastAlpha, start: fastStart, sum: fastSum, index: index, memory: memory)
    let slow = average(
      candle, previous: state[1], alpha: slowAlpha, start: slowStart, sum: slowSum, index: index, memory: memory)
    if committing {
      state[0] = fast
      state[1] = slow
    }
    if index < max(fastStart, slowStart) { return }
    let difference = fast - slow
    if index >= shownFrom { values[0] = difference }
    let total = seed == .first ? difference : state[2] + difference
    if index < signalStart {
      if committing { state[2] = total }
      return
    }
    let average = seed == .first ? difference : total / Double(signal)
    if committing { state[2] = average }
    if index >= shownFrom {
      values[1] = average
      values[2] = multiplier * (difference - average)
    }
  }

  private func average(
    _ candle: ScaledCandle, previous: Double, alpha: Double, start: Int, sum: Int, index: Int, memory: SeriesMemory
  ) -> Double {
    if index < start { return 0 }
    if index > start { return previous + (candle.price - previous) * alpha }
    return seed == .first ? candle.price : MovingAverage.mean(candle, sum: sum, memory: memory)
  }
}
