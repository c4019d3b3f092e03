import CandleCore
import CandleIndicators
import Testing

/// What must hold between runs, whatever the values are.
@Suite struct MetamorphicTests {
  static let conventions = IndicatorConvention.allCases

  @Test(arguments: conventions) func aPrefixHasTheSameValues(_ convention: IndicatorConvention) throws {
    let candles = try Golden.candles("input/penny.csv")
    let plan = IndicatorPlan(Golden.configuration(convention))
    let whole = Values.batch(candles, plan)
    for length in [1, 2, 9, 20, 26, 35, 61, 200] {
      let part = Values.batch(Array(candles.prefix(length)), plan)
      #expect(part.map(bits) == whole.prefix(length).map(bits))
    }
  }

  @Test(arguments: conventions) func oscillatorsDoNotSeeTheScaleOfThePrice(_ convention: IndicatorConvention) throws {
    let plan = IndicatorPlan(Golden.configuration(convention))
    let sets = try ["base_walk", "tiny_1e-8", "huge_1e9"].map {
      Values.batch(try Golden.candles("adversarial/input/\($0).csv"), plan)
    }
    for (place, key) in plan.keys.enumerated() {
      guard key.hasPrefix("kdj") || key.hasPrefix("rsi") || key.hasPrefix("wr") else { continue }
      let texts = sets.map { $0.map { twelveDigits($0[place]) } }
      #expect(texts[1] == texts[0], "\(key)")
      #expect(texts[2] == texts[0], "\(key)")
    }
  }

  @Test(arguments: conventions) func previewsChangeNothingAndEqualTheCommit(_ convention: IndicatorConvention) throws {
    let candles = try Golden.candles("input/spy_daily.csv")
    let plan = IndicatorPlan(Golden.configuration(convention))
    let plain = Values.batch(candles, plan)
    let values = Values(IndicatorSet(plan: plan))
    var random = SplitMix64(state: 7)
    for (index, candle) in candles.enumerated() {
      for _ in 0..<(random.next() % 4) {
        let other = candles[Int(random.next() % UInt64(candles.count))]
        _ = values.preview(other)
        _ = values.preview(CandleContent("0.000000123456"))
        _ = values.preview(CandleContent("999999999999999999", volume: "0.000000000000000001"))
      }
      let last = values.preview(candle)
      #expect(bits(last) == bits(values.commit(candle)))
      #expect(bits(last) == bits(plain[index]))
    }
  }

  /// A history that was loaded and a series that was lived through go on alike.
  @Test func chunksDoNotMatter() throws {
    let candles = try Golden.candles("input/penny.csv")
    let plan = IndicatorPlan(IndicatorConfiguration())
    let whole = Values.batch(candles, plan)
    for length in [1, 8, 30, 333] {
      let values = Values(IndicatorSet(plan: plan, correctionWindow: 3))
      for candle in candles.prefix(length) { values.commit(candle) }
      for index in length..<candles.count {
        _ = values.preview(CandleContent(candles[index].open))
        #expect(bits(values.commit(candles[index])) == bits(whole[index]))
      }
    }
  }

  /// 1,000 candles of history make a restart invisible.
  @Test(arguments: conventions) func warmUpSufficesForTheSameValues(_ convention: IndicatorConvention) {
    var generator = DriftGenerator()
    let candles = (0..<3_000).map { generator.next($0) }
    let plan = IndicatorPlan(IndicatorConfiguration(convention: convention))
    let whole = Values.batch(candles, plan)
    let warmed = Values.batch(Array(candles.suffix(1_500)), plan)
    for (late, full) in zip(warmed[1_000...], whole[2_500...]) {
      for (a, b) in zip(late, full) { #expect((a - b).magnitude <= 1e-9 * max(b.magnitude, 1)) }
    }
  }

  @Test func rollBackThenForwardIsStraight() throws {
    let candles = try Golden.candles("input/spy_daily.csv")
    for convention in Self.conventions {
      let plan = IndicatorPlan(Golden.configuration(convention))
      let whole = Values.batch(candles, plan)
      let values = Values(IndicatorSet(plan: plan, correctionWindow: 20))
      var at = 0
      var random = SplitMix64(state: 11)
      while at < candles.count {
        #expect(bits(values.commit(candles[at])) == bits(whole[at]))
        at += 1
        if random.next() % 5 == 0 {
          let back = Int(random.next() % UInt64(values.set.rollBackDepth + 1))
          #expect(values.set.rollBack(by: back))
          at -= back
          #expect(values.set.count == at)
        }
      }
    }
  }

  @Test func rollBackIsLimited() {
    let values = Values(IndicatorConfiguration(), correctionWindow: 3)
    #expect(values.set.rollBack(by: 0))
    #expect(!values.set.rollBack(by: 1))
    for price in 1...10 { values.commit(CandleContent(Fixed(coefficient: Int64(price), scale: 0))) }
    #expect(values.set.rollBackDepth == 3)
    #expect(!values.set.rollBack(by: 4))
    #expect(!values.set.rollBack(by: -1))
    #expect(values.set.count == 10)
    #expect(values.set.rollBack(by: 2))
    #expect(values.set.rollBackDepth == 1)
    // What was overwritten stays out of reach, also after a roll-back.
    #expect(!values.set.rollBack(by: 2))
    #expect(values.set.rollBack(by: 1))
    #expect(values.set.rollBackDepth == 0)
    #expect(values.set.count == 7)
  }

  /// Any sequence of commits, previews, corrections and restarts equals one pass over the candles that it left.
  @Test(arguments: 0..<60) func randomSequencesEqualOnePass(_ seed: Int) {
    var random = SplitMix64(state: UInt64(seed) &* 7919 &+ 1)
    let plan = IndicatorPlan(Self.randomConfiguration(&random))
    let window = Int(random.next() % 40)
    var market = RandomMarket(random: SplitMix64(state: random.next()), wild: seed % 3 == 0)
    var values = Values(IndicatorSet(plan: plan, correctionWindow: window))
    var candles: [CandleContent] = []
    var seen: [[UInt64]] = []
    for _ in 0..<600 {
      switch random.next() % 16 {
      case 0..<9:
        let candle = market.next()
        seen.append(bits(values.commit(candle)))
        candles.append(candle)
      case 9..<13:
        let candle = market.next()
        let forming = bits(values.preview(candle))
        if random.next() % 4 == 0 {
          #expect(forming == bits(values.commit(candle)))
          seen.append(forming)
          candles.append(candle)
        }
      case 13:
        guard values.set.rollBackDepth > 0 else { continue }
        let back = 1 + Int(random.next() % UInt64(values.set.rollBackDepth))
        #expect(values.set.rollBack(by: back))
        candles.removeLast(back)
        seen.removeLast(back)
      case 14:
        guard values.set.rollBackDepth > 0 else { continue }
        // A late tick: the candle changes, those after it come again as they were.
        let back = 1 + Int(random.next() % UInt64(values.set.rollBackDepth))
        #expect(values.set.rollBack(by: back))
        candles[candles.count - back] = market.next()
        for index in (candles.count - back)..<candles.count { seen[index] = bits(values.commit(candles[index])) }
      default:
        if random.next() % 8 == 0 {
          values = Values(Self.restarted(values.set, back: 0, correctionWindow: window))
        }
      }
    }
    let batch = Values.batch(candles, plan)
    #expect(seen.count == batch.count)
    for (index, expected) in batch.enumerated() where bits(expected) != seen[index] {
      Issue.record("candle \(index) of \(batch.count) differs")
      break
    }
    #expect(batch.allSatisfy { $0.allSatisfy { $0.isNaN || $0.isFinite } })
  }

  static func restarted(_ set: IndicatorSet, back: Int, correctionWindow: Int) -> IndicatorSet {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: set.checkpointCapacity, alignment: 8)
    defer { bytes.deallocate() }
    let length = set.writeCheckpoint(back: back, to: bytes)!
    return IndicatorSet(
      plan: set.plan, correctionWindow: correctionWindow,
      checkpoint: UnsafeRawBufferPointer(rebasing: bytes[..<length]))!
  }

  static func randomConfiguration(_ random: inout SplitMix64) -> IndicatorConfiguration {
    func period(_ most: UInt64) -> Int { 1 + Int(random.next() % most) }
    func periods() -> [Int] { (0..<Int(random.next() % 4)).map { _ in period(random.next() % 2 == 0 ? 12 : 90) } }
    var configuration = IndicatorConfiguration(convention: IndicatorConvention.allCases.randomElement(using: &random)!)
    configuration.emaSeed = .allCases.randomElement(using: &random)!
    configuration.bollDdof = Int(random.next() % 2)
    configuration.macdMultiplier = 1 + Int(random.next() % 2)
    configuration.kdjSeed = .allCases.randomElement(using: &random)!
    configuration.rsiSeed = .allCases.randomElement(using: &random)!
    configuration.flat = .allCases.randomElement(using: &random)!
    configuration.ma = periods()
    configuration.ema = periods()
    configuration.mavol = periods()
    configuration.rsi = periods()
    configuration.wr = periods()
    configuration.boll = random.next() % 4 == 0 ? nil : .init(period: 1 + period(50), multiplier: 2.5)
    let fast = period(20)
    configuration.macd = random.next() % 4 == 0 ? nil : .init(fast: fast, slow: fast + period(20), signal: period(12))
    configuration.kdj = random.next() % 4 == 0 ? nil : .init(period: period(60), k: period(5), d: period(5))
    return configuration
  }
}

/// A market with flat stretches, jumps and, if wild, numbers of any size.
struct RandomMarket {
  var random: SplitMix64
  let wild: Bool
  private var price: Int64 = 5_000
  private var flat = 0

  init(random: SplitMix64, wild: Bool) {
    self.random = random
    self.wild = wild
  }

  mutating func next() -> CandleContent {
    if flat > 0 {
      flat -= 1
      return .flat(at: Fixed(coefficient: price, scale: 2))
    }
    switch random.next() % 40 {
    case 0: flat = Int(random.next() % 30)
    case 1 where wild:
      let digits = Int64(random.next() % 1_000_000_000_000_000_000)
      let shift = UInt8(random.next() % 19)
      return CandleContent(
        Fixed(coefficient: digits, scale: shift), volume: Fixed(coefficient: digits, scale: 18 - shift))
    case 2 where wild:
      return CandleContent("0.000000000000000001", volume: "999999999999999999")
    default: break
    }
    let open = price
    price = max(1, price + Int64(random.next() % 201) - 100)
    let high = max(open, price) + Int64(random.next() % 50)
    let low = max(1, min(open, price) - Int64(random.next() % 50))
    // As a venue sends them: trailing zeros sometimes, and more decimals later on.
    let zeros = UInt8(random.next() % 3)
    let factor: Int64 = [1, 10, 100][Int(zeros)]
    return CandleContent(
      open: Fixed(coefficient: open, scale: 2), high: Fixed(coefficient: high * factor, scale: 2 + zeros),
      low: Fixed(coefficient: low, scale: 2), close: Fixed(coefficient: price * factor, scale: 2 + zeros),
      volume: FixedSum(Fixed(coefficient: Int64(random.next() % 100_000), scale: UInt8(random.next() % 9))))
  }
}
