/// The named habits by which indicator values are computed: each is a preset of the knobs of
/// `IndicatorConfiguration`.
public enum IndicatorConvention: String, Sendable, CaseIterable {
  /// Chinese K-line charts (TongDaXin formulas): recursions start at the first value.
  case tdx
  /// Pine's `ta.*`: recursions start with the mean of the first n values.
  case tradingview
  /// TA-Lib: as Pine, MACD's two averages start together, flat markets give 0.
  case talib
}

/// What the first value of an exponential average is.
public enum EMASeed: String, Sendable, CaseIterable, BitwiseCopyable {
  /// The first value itself.
  case first
  /// The mean of the first n values.
  case sma
}

/// What K and D of KDJ start from.
public enum KDJSeed: String, Sendable, CaseIterable, BitwiseCopyable {
  /// 50 before the first raw value.
  case fifty = "50"
  /// The first raw value.
  case first
  /// The mean of the first raw values.
  case sma
}

/// What the averages of gains and of movement start from.
public enum RSISeed: String, Sendable, CaseIterable {
  /// The first change.
  case first
  /// The mean of the first n changes.
  case sma
}

/// What an oscillator shows while the market does not move at all.
public enum FlatValue: String, Sendable, CaseIterable {
  /// The middle: RSV 50, RSI 50, WR −50.
  case neutral
  /// 0.
  case zero
  /// No value; K and D keep theirs.
  case null
}

/// Which indicators are computed, with which periods and by which convention.
///
/// `init(convention:)` fills the knobs from the preset and the periods with the defaults; each can then be set.
/// `problems()` says what is wrong with it.
public struct IndicatorConfiguration: Sendable, Equatable {
  /// Moving window and width of the band, in standard deviations.
  public struct Bollinger: Sendable, Equatable {
    public var period: Int
    public var multiplier: Double

    public init(period: Int = 20, multiplier: Double = 2) {
      self.period = period
      self.multiplier = multiplier
    }
  }

  /// Periods of MACD's two averages of the close, and of the average of their difference.
  public struct MACDPeriods: Sendable, Equatable {
    public var fast: Int
    public var slow: Int
    public var signal: Int

    public init(fast: Int = 12, slow: Int = 26, signal: Int = 9) {
      self.fast = fast
      self.slow = slow
      self.signal = signal
    }
  }

  /// Window of KDJ's raw value and the smoothings of K and D.
  public struct KDJPeriods: Sendable, Equatable {
    public var period: Int
    public var k: Int
    public var d: Int

    public init(period: Int = 9, k: Int = 3, d: Int = 3) {
      self.period = period
      self.k = k
      self.d = d
    }
  }

  /// A value that is out of range.
  public struct Problem: Sendable, Equatable {
    /// The key, as in the configuration file: `macd[1]`.
    public var key: String
    public var value: String
    public var expected: String
  }

  /// The longest period.
  public static let maximumPeriod = 1_000

  /// The preset's name; it also decides how MACD is aligned (`talib`).
  public var convention: IndicatorConvention
  public var emaSeed: EMASeed
  /// 1 or 2: what MACD's histogram is multiplied by.
  public var macdMultiplier: Int
  /// 0 or 1: BOLL's variance is divided by n − `bollDdof`.
  public var bollDdof: Int
  public var kdjSeed: KDJSeed
  public var rsiSeed: RSISeed
  public var flat: FlatValue

  public var ma: [Int] = [5, 10, 20]
  public var ema: [Int] = []
  public var mavol: [Int] = [5, 10]
  public var boll: Bollinger? = Bollinger()
  public var macd: MACDPeriods? = MACDPeriods()
  public var kdj: KDJPeriods? = KDJPeriods()
  public var rsi: [Int] = [6, 12, 24]
  public var wr: [Int] = [10, 6]

  /// The knobs of a convention, and the default indicators.
  public init(convention: IndicatorConvention = .tdx) {
    self.convention = convention
    switch convention {
    case .tdx:
      emaSeed = .first
      macdMultiplier = 2
      bollDdof = 1
      kdjSeed = .fifty
      rsiSeed = .first
      flat = .neutral
    case .tradingview, .talib:
      emaSeed = .sma
      macdMultiplier = 1
      bollDdof = 0
      kdjSeed = .sma
      rsiSeed = .sma
      flat = convention == .talib ? .zero : .null
    }
  }

  /// The names of the values, in the order in which they are written.
  public var keys: [String] {
    var keys = ma.map { "ma\($0)" }
    keys += ema.map { "ema\($0)" }
    keys += mavol.map { "mavol\($0)" }
    if boll != nil { keys += ["boll_mb", "boll_up", "boll_dn"] }
    if macd != nil { keys += ["macd_dif", "macd_dea", "macd_hist"] }
    if kdj != nil { keys += ["kdj_k", "kdj_d", "kdj_j"] }
    keys += rsi.map { "rsi\($0)" }
    keys += wr.map { "wr\($0)" }
    return keys
  }

  /// The longest period of all; 1 if there is none.
  public var longestPeriod: Int {
    var periods = [1] + ma + ema + mavol + rsi + wr
    if let boll { periods.append(boll.period) }
    if let macd { periods += [macd.fast, macd.slow, macd.signal] }
    if let kdj { periods += [kdj.period, kdj.k, kdj.d] }
    return periods.max() ?? 1
  }

  /// How many candles of history make the values the same as those of the whole series (to 1e-9): the seed of a
  /// recursion has decayed by then.
  public var warmUp: Int { max(1_000, 20 * longestPeriod) }

  /// Everything that is out of range; empty if the configuration can be used.
  public func problems() -> [Problem] {
    var found: [Problem] = []
    func check(_ key: String, _ period: Int, from least: Int = 1) {
      if period < least || period > Self.maximumPeriod {
        found.append(
          Problem(key: key, value: "\(period)", expected: "an integer from \(least) to \(Self.maximumPeriod)"))
      }
    }
    func check(_ key: String, _ periods: [Int]) {
      for (index, period) in periods.enumerated() {
        check("\(key)[\(index)]", period)
        if periods[..<index].contains(period) {
          found.append(Problem(key: "\(key)[\(index)]", value: "\(period)", expected: "each period once"))
        }
      }
    }
    check("ma", ma)
    check("ema", ema)
    check("mavol", mavol)
    check("rsi", rsi)
    check("wr", wr)
    if let boll {
      check("boll[0]", boll.period, from: 2)
      if !(boll.multiplier > 0 && boll.multiplier <= 100) {
        found.append(Problem(key: "boll[1]", value: "\(boll.multiplier)", expected: "a number above 0, up to 100"))
      }
    }
    if let macd {
      check("macd[0]", macd.fast)
      check("macd[1]", macd.slow)
      check("macd[2]", macd.signal)
      if macd.fast >= macd.slow {
        found.append(Problem(key: "macd[1]", value: "\(macd.slow)", expected: "more than the fast period \(macd.fast)"))
      }
    }
    if let kdj {
      check("kdj[0]", kdj.period)
      check("kdj[1]", kdj.k)
      check("kdj[2]", kdj.d)
    }
    if !(1...2).contains(macdMultiplier) {
      found.append(Problem(key: "macd_multiplier", value: "\(macdMultiplier)", expected: "1 or 2"))
    }
    if !(0...1).contains(bollDdof) {
      found.append(Problem(key: "boll_ddof", value: "\(bollDdof)", expected: "0 or 1"))
    }
    return found
  }
}
