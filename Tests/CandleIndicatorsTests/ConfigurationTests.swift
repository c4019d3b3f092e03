import CandleCore
import CandleIndicators
import Testing

@Suite struct ConfigurationTests {
  @Test func defaultKeys() {
    let keys = IndicatorConfiguration().keys.joined(separator: " ")
    #expect(
      keys == "ma5 ma10 ma20 mavol5 mavol10 boll_mb boll_up boll_dn macd_dif macd_dea macd_hist kdj_k kdj_d kdj_j "
        + "rsi6 rsi12 rsi24 wr10 wr6")
    #expect(IndicatorConfiguration().warmUp == 1_000)
    #expect(IndicatorConfiguration().problems().isEmpty)
  }

  @Test func keysFollowTheConfiguredOrder() {
    var configuration = IndicatorConfiguration()
    configuration.ma = [30, 7]
    configuration.ema = [26, 12]
    configuration.mavol = []
    configuration.boll = nil
    configuration.macd = nil
    configuration.kdj = nil
    configuration.rsi = [14]
    configuration.wr = []
    #expect(configuration.keys == ["ma30", "ma7", "ema26", "ema12", "rsi14"])
    configuration.ma.append(200)
    #expect(configuration.warmUp == 4_000)
  }

  @Test func nothingConfiguredIsFine() {
    var configuration = IndicatorConfiguration()
    configuration.ma = []
    configuration.mavol = []
    configuration.boll = nil
    configuration.macd = nil
    configuration.kdj = nil
    configuration.rsi = []
    configuration.wr = []
    let values = Values(configuration, correctionWindow: 2)
    #expect(values.preview(CandleContent("1.5")).isEmpty)
    #expect(values.commit(CandleContent("1.5")).isEmpty)
    #expect(values.set.rollBack(by: 1))
  }

  @Test func presets() {
    let tdx = IndicatorConfiguration(convention: .tdx)
    #expect(tdx.emaSeed == .first && tdx.macdMultiplier == 2 && tdx.bollDdof == 1)
    #expect(tdx.kdjSeed == .fifty && tdx.rsiSeed == .first && tdx.flat == .neutral)
    let pine = IndicatorConfiguration(convention: .tradingview)
    #expect(pine.emaSeed == .sma && pine.macdMultiplier == 1 && pine.bollDdof == 0)
    #expect(pine.kdjSeed == .sma && pine.rsiSeed == .sma && pine.flat == .null)
    let talib = IndicatorConfiguration(convention: .talib)
    #expect(talib.emaSeed == .sma && talib.flat == .zero)
    #expect(KDJSeed(rawValue: "50") == .fifty)
  }

  /// Every knob of tradingview set on tdx gives tradingview's values, and one alone changes its own only.
  @Test func knobsAreIndependent() throws {
    let candles = try Golden.candles("input/penny.csv")
    let pine = Values.batch(candles, IndicatorPlan(IndicatorConfiguration(convention: .tradingview)))
    var configuration = IndicatorConfiguration(convention: .tdx)
    let plain = Values.batch(candles, IndicatorPlan(configuration))
    let keys = configuration.keys
    configuration.bollDdof = 0
    let band = Values.batch(candles, IndicatorPlan(configuration))
    for (place, key) in keys.enumerated() {
      let same = zip(plain, band).allSatisfy { bits([$0[place]]) == bits([$1[place]]) }
      #expect(same == (key != "boll_up" && key != "boll_dn"), "\(key)")
    }
    configuration.emaSeed = .sma
    configuration.macdMultiplier = 1
    configuration.kdjSeed = .sma
    configuration.rsiSeed = .sma
    configuration.flat = .null
    #expect(Values.batch(candles, IndicatorPlan(configuration)).map(bits) == pine.map(bits))
  }

  @Test func problemsAreNamed() {
    var configuration = IndicatorConfiguration()
    configuration.ma = [5, 0, 5, 1_001]
    configuration.boll = .init(period: 1, multiplier: .nan)
    configuration.macd = .init(fast: 26, slow: 12, signal: 9)
    configuration.kdj = .init(period: 9, k: 0, d: 3)
    configuration.macdMultiplier = 3
    configuration.bollDdof = 2
    #expect(
      configuration.problems().map(\.key) == [
        "ma[1]", "ma[2]", "ma[3]", "boll[0]", "boll[1]", "macd[1]", "kdj[1]", "macd_multiplier", "boll_ddof",
      ])
    // Whoever uses it all the same gets numbers, not a trap.
    configuration.boll = .init(period: 1, multiplier: 2)
    let values = Values(configuration)
    for price in 1...100 {
      let row = values.commit(CandleContent(Fixed(coefficient: Int64(price), scale: 0)))
      #expect(row.allSatisfy { $0.isNaN || $0.isFinite })
    }
  }

  @Test func theStateIsSmall() {
    let set = IndicatorSet(plan: IndicatorPlan(IndicatorConfiguration()), correctionWindow: 2)
    #expect(set.stateBytes < 4_096)
  }
}
