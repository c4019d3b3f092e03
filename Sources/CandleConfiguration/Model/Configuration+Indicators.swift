extension Configuration {
  /// Which indicators are computed, with which periods and by which convention.
  public struct Indicators: Sendable, Equatable {
    /// A preset of the knobs.
    public enum Convention: String, Sendable, CaseIterable { case tdx, tradingview, talib }
    /// The first value of an exponential average.
    public enum EMASeed: String, Sendable, CaseIterable { case first, sma }
    /// What K and D start from.
    public enum KDJSeed: String, Sendable, CaseIterable {
      case fifty = "50"
      case first, sma
    }
    /// What RSI's averages start from.
    public enum RSISeed: String, Sendable, CaseIterable { case first, sma }
    /// What an oscillator is without any movement.
    public enum FlatValue: String, Sendable, CaseIterable { case neutral, zero, null }

    /// Period and width (in standard deviations) of the bands.
    public struct Boll: Sendable, Equatable {
      public var period: Int
      public var multiplier: Double

      public init(period: Int = 20, multiplier: Double = 2) {
        self.period = period
        self.multiplier = multiplier
      }
    }

    /// Periods of the two averages of the close, and of the average of their difference.
    public struct MACD: Sendable, Equatable {
      public var fast: Int
      public var slow: Int
      public var signal: Int

      public init(fast: Int = 12, slow: Int = 26, signal: Int = 9) {
        self.fast = fast
        self.slow = slow
        self.signal = signal
      }
    }

    /// Window of the raw value and the smoothings of K and D.
    public struct KDJ: Sendable, Equatable {
      public var period: Int
      public var k: Int
      public var d: Int

      public init(period: Int = 9, k: Int = 3, d: Int = 3) {
        self.period = period
        self.k = k
        self.d = d
      }
    }

    /// The longest period of any indicator, in candles.
    public static let longestPeriod = 1_000

    public var convention = Convention.tdx
    /// Knobs that differ from the convention's preset; nil = as in the preset.
    public var emaSeed: EMASeed?
    public var macdMultiplier: Int?
    public var bollDdof: Int?
    public var kdjSeed: KDJSeed?
    public var rsiSeed: RSISeed?
    public var flat: FlatValue?
    /// Whether candles are stored with their values.
    public var store = false
    /// Periods, each once; an empty list turns the indicator off, as nil does for the others.
    public var ma = [5, 10, 20]
    public var ema: [Int] = []
    public var mavol = [5, 10]
    public var boll: Boll? = Boll()
    public var macd: MACD? = MACD()
    public var kdj: KDJ? = KDJ()
    public var rsi = [6, 12, 24]
    public var wr = [10, 6]

    public init() {}
  }
}
