import CandleCore
import CandleIndicators
import Testing

/// Windows of any length against their definitions, computed anew for each candle.
@Suite struct ReferenceTests {
  static let candles: [CandleContent] = {
    var market = RandomMarket(random: SplitMix64(state: 3), wild: false)
    return (0..<1_500).map { _ in market.next() }
  }()

  static let periods = [1, 2, 3, 9, 33, 34, 64, 100, 257, 1_000]

  @Test func windowsOfAnyLength() {
    var configuration = IndicatorConfiguration()
    configuration.ma = Self.periods
    configuration.mavol = Self.periods
    configuration.wr = Self.periods
    let plan = IndicatorPlan(configuration)
    let values = Values.batch(Self.candles, plan)
    let closes = Self.candles.map { Double($0.close) }
    let volumes = Self.candles.map { Double($0.volume) }
    for period in Self.periods {
      let ma = plan.keys.firstIndex(of: "ma\(period)")!
      let mavol = plan.keys.firstIndex(of: "mavol\(period)")!
      let wr = plan.keys.firstIndex(of: "wr\(period)")!
      for index in Self.candles.indices {
        let row = values[index]
        guard index >= period - 1 else {
          #expect(row[ma].isNaN && row[mavol].isNaN && row[wr].isNaN)
          continue
        }
        let window = (index - period + 1)...index
        let mean = closes[window].reduce(0, +) / Double(period)
        #expect((row[ma] - mean).magnitude <= 1e-10 * mean)
        let volume = volumes[window].reduce(0, +) / Double(period)
        #expect((row[mavol] - volume).magnitude <= 1e-10 * max(volume, 1e-3))
        let highest = Double(Self.candles[window].map(\.high).max()!)
        let lowest = Double(Self.candles[window].map(\.low).min()!)
        let expected = highest > lowest ? (closes[index] - highest) / (highest - lowest) * 100 : -50
        #expect((row[wr] - expected).magnitude <= 1e-7)
      }
    }
  }

  @Test(arguments: [2, 20, 333, 1_000], [0, 1]) func bandsOfAnyLength(_ period: Int, _ ddof: Int) {
    var configuration = IndicatorConfiguration()
    configuration.boll = .init(period: period, multiplier: 3)
    configuration.bollDdof = ddof
    let plan = IndicatorPlan(configuration)
    let values = Values.batch(Self.candles, plan)
    let up = plan.keys.firstIndex(of: "boll_up")!
    let closes = Self.candles.map { Double($0.close) }
    for index in (period - 1)..<closes.count {
      let window = closes[(index - period + 1)...index]
      let mean = window.reduce(0, +) / Double(period)
      let squares = window.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      let expected = mean + 3 * (squares / Double(period - ddof)).squareRoot()
      #expect((values[index][up] - expected).magnitude <= 1e-9 * expected)
      #expect(values[index][up - 1] + values[index][up + 1] - 2 * values[index][up - 1] <= values[index][up])
    }
  }

  @Test(arguments: KDJSeed.allCases, FlatValue.allCases) func kdjFollowsItsDefinition(
    _ seed: KDJSeed, _ flat: FlatValue
  ) {
    var configuration = IndicatorConfiguration()
    configuration.kdj = .init(period: 6, k: 5, d: 4)
    configuration.kdjSeed = seed
    configuration.flat = flat
    let plan = IndicatorPlan(configuration)
    let values = Values.batch(Self.candles, plan)
    let place = plan.keys.firstIndex(of: "kdj_k")!
    var raws: [Double] = []
    var ks: [Double] = []
    var k = 50.0
    var d = 50.0
    var flatCandles = 0
    for index in 5..<Self.candles.count {
      let window = Self.candles[(index - 5)...index]
      let highest = Double(window.map(\.high).max()!)
      let lowest = Double(window.map(\.low).min()!)
      var raw = flat == .zero ? 0.0 : 50
      if highest > lowest {
        raw = (Double(Self.candles[index].close) - lowest) / (highest - lowest) * 100
      } else {
        flatCandles += 1
        if flat == .null {
          // No value, and the averages wait.
          #expect(values[index][place...(place + 2)].allSatisfy { $0.isNaN })
          continue
        }
      }
      raws.append(raw)
      switch seed {
      case .fifty:
        k = (4 * k + raw) / 5
        d = (3 * d + k) / 4
      case .first:
        k = raws.count == 1 ? raw : (4 * k + raw) / 5
        d = raws.count == 1 ? k : (3 * d + k) / 4
      case .sma:
        k = raws.count < 5 ? .nan : raws.count == 5 ? raws.reduce(0, +) / 5 : (4 * k + raw) / 5
        if !k.isNaN { ks.append(k) }
        d = ks.count < 4 ? .nan : ks.count == 4 ? ks.reduce(0, +) / 4 : (3 * d + k) / 4
      }
      if d.isNaN {
        #expect(values[index][place].isNaN)
      } else {
        #expect((values[index][place] - k).magnitude < 1e-8)
        #expect((values[index][place + 1] - d).magnitude < 1e-8)
        #expect((values[index][place + 2] - (3 * k - 2 * d)).magnitude < 1e-7)
      }
    }
    #expect(flatCandles > 50)
  }

  /// Prices as a binary float prints them have more digits than the sums of a thousand hold: they are rounded to
  /// fifteen, and nobody can tell.
  @Test func seventeenDigitsInLongWindows() {
    var configuration = IndicatorConfiguration()
    configuration.ma = [1_000]
    configuration.wr = [10]
    configuration.boll = .init(period: 1_000, multiplier: 2)
    let values = Values(configuration, correctionWindow: 3)
    var closes: [Double] = []
    var random = SplitMix64(state: 17)
    var price: Int64 = 36_500_123_456_789_012
    for index in 0..<1_200 {
      price += Int64(random.next() % 20_000_000_000_001) - 10_000_000_000_000
      let candle = CandleContent(Fixed(coefficient: price, scale: 12))
      closes.append(Double(candle.close))
      let forming = values.preview(candle)
      let settled = values.commit(candle)
      #expect(bits(forming) == bits(settled))
      if index % 50 == 49 {
        #expect(values.set.rollBack(by: 3))
        closes.removeLast(3)
        continue
      }
      #expect(values.set.count == closes.count)
      if closes.count < 1_000 { continue }
      let window = closes.suffix(1_000)
      let mean = window.reduce(0, +) / 1_000
      let deviation = (window.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 999).squareRoot()
      #expect((values["ma1000"] - mean).magnitude <= 1e-12 * mean)
      #expect((values["boll_up"] - (mean + 2 * deviation)).magnitude <= 1e-11 * mean)
      let highest = closes.suffix(10).max()!
      let lowest = closes.suffix(10).min()!
      let expected = (closes.last! - highest) / (highest - lowest) * 100
      #expect((values["wr10"] - expected).magnitude <= 1e-7)
    }
    #expect(closes.count > 1_000)
  }
}
