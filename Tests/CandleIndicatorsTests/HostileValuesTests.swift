import CandleCore
import CandleIndicators
import Testing

/// Prices that ruin floating-point sums, and numbers at the edge of what the decimals hold.
@Suite struct HostileValuesTests {
  static let conventions = IndicatorConvention.allCases

  @Test(arguments: conventions) func nothingOfABadPrintRemains(_ convention: IndicatorConvention) {
    let values = Values(IndicatorConfiguration(convention: convention))
    for index in 0..<60 {
      values.commit(CandleContent(index == 25 ? "1000000000000" : "1.1"))
      if index == 25 { #expect(values["ma5"] == 200_000_000_000.88) }
    }
    for key in ["ma5", "ma10", "ma20", "boll_mb", "boll_up", "boll_dn"] { #expect(values[key] == 1.1, "\(key)") }
    #expect(values["mavol10"] == 1)
  }

  /// The spike does not fit with eight decimals, so the scale is coarser while it is in the windows, and only then.
  @Test func aSpikeBeyondTheScaleLeavesNoTrace() {
    let values = Values(IndicatorConfiguration(), correctionWindow: 5)
    let clean = Values(IndicatorConfiguration())
    var last: [Double] = []
    var wanted: [Double] = []
    for index in 0..<80 {
      let price = Fixed(coefficient: 100_000_001 + Int64(index * 7 % 11), scale: 8)
      last = values.commit(CandleContent(index == 30 ? "999999999999999999" : price))
      #expect(last.allSatisfy { $0.isNaN || $0.isFinite })
      if index > 30 { wanted = clean.commit(CandleContent(price)) }
    }
    for (place, key) in values.set.plan.keys.enumerated() where !key.hasPrefix("macd") && !key.hasPrefix("rsi") {
      let allowed = key.hasPrefix("kdj") ? 1e-3 : 0
      #expect((last[place] - wanted[place]).magnitude <= allowed, "\(key)")
    }
  }

  @Test(arguments: conventions) func flatThenASpikeThenFlat(_ convention: IndicatorConvention) {
    var configuration = IndicatorConfiguration(convention: convention)
    configuration.ma.append(500)
    let values = Values(configuration)
    for index in 0..<6_000 {
      let row = values.commit(index == 1_000 ? CandleContent("150.5") : .flat(at: "100.1"))
      #expect(row.allSatisfy { $0.isNaN || $0.isFinite })
    }
    for key in ["ma5", "ma500", "boll_up", "boll_dn"] { #expect(values[key] == 100.1) }
    #expect(values["mavol10"] == 0)
    #expect(values["macd_dif"].magnitude < 1e-12)
    // The share of the rises was set by the spike and stays, long after the averages have faded.
    let share = values["rsi6"]
    #expect(share > 40 && share < 60)
    values.commit(.flat(at: "100.1"))
    #expect(values["rsi6"] == share)
    switch convention {
    case .tdx:
      #expect(values["wr10"] == -50)
      #expect((values["kdj_k"] - 50).magnitude < 1e-12)
    case .tradingview: #expect(values["wr10"].isNaN && values["kdj_k"].isNaN)
    case .talib:
      #expect(values["wr10"] == 0)
      #expect(values["kdj_j"].magnitude < 1e-12)
    }
  }

  @Test(arguments: conventions) func aMarketThatNeverMoved(_ convention: IndicatorConvention) {
    let values = Values(IndicatorConfiguration(convention: convention))
    var wasNull = true
    for _ in 0..<5_000 {
      let row = values.commit(.flat(at: "0.1"))
      #expect(row.allSatisfy { $0.isNaN || $0.isFinite })
      wasNull = wasNull && values["rsi6"].isNaN
    }
    #expect(values["macd_hist"] == 0 && values["boll_up"] == 0.1 && values["boll_dn"] == 0.1)
    switch convention {
    case .tdx: #expect(values["rsi24"] == 50 && values["wr6"] == -50 && values["kdj_j"] == 50)
    case .tradingview: #expect(wasNull && values["wr6"].isNaN && values["kdj_j"].isNaN)
    case .talib: #expect(values["rsi24"] == 0 && values["wr6"] == 0 && values["kdj_j"] == 0)
    }
    // The first move ends it.
    values.commit(CandleContent("0.2"))
    #expect(values["rsi6"] == 100 && values["wr6"] == 0)
  }

  @Test(arguments: ["0.1", "0.7", "1.1", "36500.25", "0.00001234"] as [Fixed])
  func anAverageOfAConstantIsTheConstant(_ price: Fixed) {
    var configuration = IndicatorConfiguration()
    configuration.ma = []
    configuration.ema = Array(1...200)
    let values = Values(configuration)
    for _ in 0..<20 {
      #expect(values.commit(.flat(at: price)).prefix(200).allSatisfy { $0 == Double(price) })
    }
  }

  /// Exact means and deviations of two prices in turn, which cancel in floating point.
  @Test func oneAndAThousandInTurn() {
    let values = Values(IndicatorConfiguration())
    for index in 0..<10_000 { values.commit(CandleContent(index % 2 == 0 ? "1" : "1000")) }
    #expect(values["ma10"] == 500.5 && values["ma20"] == 500.5 && values["ma5"] == 600.4)
    let deviation = (20 * 499.5 * 499.5 / 19).squareRoot()
    #expect((values["boll_up"] - (500.5 + 2 * deviation)).magnitude < 1e-10)
    #expect(values["wr6"] == 0)
  }

  @Test func upMovesEqualToDownMovesAreTies() {
    let values = Values(IndicatorConfiguration(convention: .tradingview))
    for index in 0..<13 { values.commit(CandleContent(index % 2 == 0 ? "0.3" : "0.1")) }
    #expect((values["rsi12"] - 50).magnitude < 1e-12)
    #expect(values["wr6"] == 0 || values["wr6"] == -100)
  }

  /// 18 digits everywhere, at every scale, in every order: never a trap, never a number that is none.
  @Test(arguments: [[5, 10, 20], [1_000]]) func theLargestNumbers(_ periods: [Int]) {
    let largest = Fixed(coefficient: 999_999_999_999_999_999, scale: 0)
    let smallest = Fixed(coefficient: 1, scale: 18)
    let fine = Fixed(coefficient: 999_999_999_999_999_999, scale: 18)
    let negative = Fixed(coefficient: -999_999_999_999_999_999, scale: 0)
    var configuration = IndicatorConfiguration()
    configuration.ma = periods
    configuration.mavol = periods
    configuration.boll = .init(period: periods[0])
    configuration.wr = periods
    let values = Values(configuration, correctionWindow: 4)
    var random = SplitMix64(state: 5)
    for index in 0..<2_400 {
      let price = [largest, smallest, fine, negative, largest][Int(random.next() % 5)]
      var candle = CandleContent(price)
      if index % 3 == 0 {
        candle.high = largest
        candle.low = negative
      }
      candle.volume =
        [
          FixedSum(coefficient: .max, scale: 0), FixedSum(coefficient: .max, scale: 18),
          FixedSum(coefficient: 1, scale: 36), .zero,
        ][Int(random.next() % 4)]
      let forming = values.preview(candle)
      let settled = values.commit(candle)
      #expect(bits(forming) == bits(settled))
      #expect(settled.allSatisfy { $0.isNaN || $0.isFinite })
      if index % 7 == 0 { #expect(values.set.rollBack(by: min(3, values.set.rollBackDepth))) }
    }
  }

  @Test func seventeenDigitsAreExactInTheDefaultSet() {
    let values = Values(IndicatorConfiguration())
    for index in 0..<40 {
      values.commit(CandleContent(Fixed(coefficient: 12_345_678_901_234_500 + Int64(index % 2), scale: 14)))
    }
    // One unit in the seventeenth digit decides the range.
    #expect(values["wr6"] == 0)
    #expect(values["rsi6"] > 50)
  }
}
