import CandleCore

/// A configuration made ready to run: the parameters of every indicator and the layout of a series' state.
///
/// One plan is shared by all series of a configuration. Nothing in it changes after `init`, which is why it may
/// cross threads although it holds pointers.
public final class IndicatorPlan: @unchecked Sendable {
  public let configuration: IndicatorConfiguration
  /// The names of the values, in the order in which they are written.
  public let keys: [String]

  let movingAverages: FlatList<MovingAverage>
  let exponentials: FlatList<ExponentialMovingAverage>
  let volumeAverages: FlatList<VolumeMovingAverage>
  let bollinger: FlatList<BollingerBands>
  let macd: FlatList<MACD>
  let kdj: FlatList<KDJ>
  let rsi: FlatList<RSI>
  let williams: FlatList<WilliamsR>

  /// Periods of the sums of closes that are kept, each once.
  let closePeriods: FlatList<Int>
  /// Periods of the sums of volumes that are kept, each once.
  let volumePeriods: FlatList<Int>
  /// Number of committed candles in each window of highs and lows, longest first, each once.
  let extremeLengths: FlatList<Int>
  /// How many of them are not empty; a window of one candle holds the forming one only.
  let filledExtremes: Int
  /// What the state of the recursions is before the first candle.
  let initialRecursions: FlatList<Double>

  /// The number of candles, the newest included, that any window reaches back.
  let longestWindow: Int
  /// Scaled prices beyond this would overflow a sum; see `ScaledCandle`.
  let priceLimit: Int64
  let volumeLimit: Int128
  let layout: SeriesLayout
  /// Tells a checkpoint of another configuration from one of this.
  let fingerprint: UInt64

  /// - Parameter configuration: one without problems; periods out of range are moved to the nearest that is allowed.
  public init(_ configuration: IndicatorConfiguration) {
    func clamp(_ period: Int, from least: Int = 1) -> Int {
      min(max(period, least), IndicatorConfiguration.maximumPeriod)
    }
    var windows = WindowRegister()
    var recursions: [Double] = []
    func reserve(_ values: [Double]) -> Int {
      recursions += values
      return recursions.count - values.count
    }
    let seed = configuration.emaSeed

    movingAverages = FlatList(
      configuration.ma.map { period in
        MovingAverage(period: clamp(period), sum: windows.closeSum(clamp(period)))
      })
    exponentials = FlatList(
      configuration.ema.map { period in
        ExponentialMovingAverage(
          period: clamp(period), seed: seed, sum: seed == .sma ? windows.closeSum(clamp(period)) : 0,
          slot: reserve([0]))
      })
    volumeAverages = FlatList(
      configuration.mavol.map { period in
        VolumeMovingAverage(period: clamp(period), sum: windows.volumeSum(clamp(period)))
      })
    bollinger = FlatList(
      configuration.boll.map { boll in
        let period = clamp(boll.period, from: 2)
        return [
          BollingerBands(
            period: period, ddof: configuration.bollDdof == 0 ? 0 : 1, multiplier: boll.multiplier,
            sum: windows.closeSum(period))
        ]
      } ?? [])
    macd = FlatList(
      configuration.macd.map { periods in
        let fast = clamp(periods.fast)
        let slow = clamp(periods.slow)
        return [
          MACD(
            fast: fast, slow: slow, signal: clamp(periods.signal), seed: seed,
            aligned: configuration.convention == .talib, multiplier: Double(configuration.macdMultiplier),
            fastSum: seed == .sma ? windows.closeSum(fast) : 0, slowSum: seed == .sma ? windows.closeSum(slow) : 0,
            slot: reserve([0, 0, 0]))
        ]
      } ?? [])
    kdj = FlatList(
      configuration.kdj.map { periods in
        let start = configuration.kdjSeed == .fifty ? 50.0 : 0.0
        return [
          KDJ(
            period: clamp(periods.period), k: clamp(periods.k), d: clamp(periods.d), seed: configuration.kdjSeed,
            flat: configuration.flat, window: windows.extremes(clamp(periods.period)), slot: reserve([start, start, 0]))
        ]
      } ?? [])
    rsi = FlatList(
      configuration.rsi.map { period in
        RSI(
          period: clamp(period), seed: configuration.rsiSeed, flat: configuration.flat, slot: reserve([0, 0]))
      })
    williams = FlatList(
      configuration.wr.map { period in
        WilliamsR(period: clamp(period), flat: configuration.flat, window: windows.extremes(clamp(period)))
      })

    // The queues find the longest window first, so the indicators' numbers are those of the sorted list.
    let order = windows.extremeLengths.indices.sorted { windows.extremeLengths[$0] > windows.extremeLengths[$1] }
    let sorted = order.map { windows.extremeLengths[$0] }
    for index in 0..<kdj.count { kdj.start[index].window = order.firstIndex(of: kdj[index].window) ?? 0 }
    for index in 0..<williams.count { williams.start[index].window = order.firstIndex(of: williams[index].window) ?? 0 }

    closePeriods = FlatList(windows.closePeriods)
    volumePeriods = FlatList(windows.volumePeriods)
    extremeLengths = FlatList(sorted)
    filledExtremes = sorted.count { $0 > 0 }
    initialRecursions = FlatList(recursions)

    let longestClose = max(2, windows.closePeriods.max() ?? 0)
    let longestExtreme = (sorted.first ?? 0) + 1
    let longestVolume = max(1, windows.volumePeriods.max() ?? 0)
    longestWindow = max(longestClose, longestExtreme, longestVolume)
    priceLimit = Int64.max / Int64(longestClose)
    volumeLimit = Int128.max / Int128(longestVolume)
    layout = SeriesLayout(
      recursions: recursions.count, closeSums: windows.closePeriods.count, volumeSums: windows.volumePeriods.count,
      extremes: sorted.count, longestClose: longestClose, longestExtreme: longestExtreme, longestVolume: longestVolume)
    self.configuration = configuration
    keys = configuration.keys
    fingerprint = Self.fingerprint(of: configuration)
  }

  deinit {
    movingAverages.deallocate()
    exponentials.deallocate()
    volumeAverages.deallocate()
    bollinger.deallocate()
    macd.deallocate()
    kdj.deallocate()
    rsi.deallocate()
    williams.deallocate()
    closePeriods.deallocate()
    volumePeriods.deallocate()
    extremeLengths.deallocate()
    initialRecursions.deallocate()
  }

  /// FNV-1a over everything that gives the state its meaning.
  private static func fingerprint(of configuration: IndicatorConfiguration) -> UInt64 {
    var text = configuration.keys.joined(separator: " ")
    text += " \(configuration.convention) \(configuration.emaSeed) \(configuration.macdMultiplier)"
    text += " \(configuration.bollDdof) \(configuration.kdjSeed) \(configuration.rsiSeed) \(configuration.flat)"
    if let boll = configuration.boll { text += " \(boll.period) \(boll.multiplier)" }
    if let macd = configuration.macd { text += " \(macd.fast) \(macd.slow) \(macd.signal)" }
    if let kdj = configuration.kdj { text += " \(kdj.period) \(kdj.k) \(kdj.d)" }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash
  }
}

/// Gives every window that several indicators share one number.
private struct WindowRegister {
  var closePeriods: [Int] = []
  var volumePeriods: [Int] = []
  var extremeLengths: [Int] = []

  mutating func closeSum(_ period: Int) -> Int { Self.index(of: period, in: &closePeriods) }
  mutating func volumeSum(_ period: Int) -> Int { Self.index(of: period, in: &volumePeriods) }
  mutating func extremes(_ period: Int) -> Int { Self.index(of: period - 1, in: &extremeLengths) }

  private static func index(of value: Int, in list: inout [Int]) -> Int {
    if let index = list.firstIndex(of: value) { return index }
    list.append(value)
    return list.count - 1
  }
}
