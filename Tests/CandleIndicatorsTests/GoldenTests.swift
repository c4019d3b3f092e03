import CandleCore
import CandleIndicators
import Testing

@Suite struct GoldenTests {
  static let files: [(folder: String, name: String)] = {
    let plain = (try? Golden.sets("expected")) ?? []
    let hostile = (try? Golden.sets("adversarial/expected")) ?? []
    return plain.map { ("", $0) } + hostile.map { ("adversarial/", $0) }
  }()

  @Test func everyFileIsThere() {
    // Three sets and twelve hostile ones, by three conventions.
    #expect(Self.files.count == 45)
  }

  @Test(arguments: files.indices) func matchesTheFile(_ number: Int) throws {
    let (folder, name) = Self.files[number]
    let parts = name.split(separator: ".")
    let convention = try #require(IndicatorConvention(rawValue: String(parts[1])))
    let candles = try Golden.candles("\(folder)input/\(parts[0]).csv")
    let plan = IndicatorPlan(Golden.configuration(convention))
    let expected = try Golden.Table("\(folder)expected/\(name)")
    #expect(Set(expected.columns.keys) == Set(plan.keys + ["i", "id"]))
    #expect(!expected.rows.isEmpty)
    let differences = Golden.differences(
      Values.batch(candles, plan), keys: plan.keys, from: expected, closes: candles.map { Double($0.close) })
    #expect(differences.isEmpty, "\(name): \(differences.prefix(5)) … \(differences.count)")
  }

  /// The values after each of six ticks in each of twenty forming candles.
  @Test func formingCandlesMatchTheFile() throws {
    let table = try Golden.Table("peek/spy_peek.tdx.csv")
    let candles = try Golden.candles("input/spy_daily.csv")
    let plan = IndicatorPlan(Golden.configuration(.tdx))
    let values = Values(IndicatorSet(plan: plan))
    var largest: [String: Double] = [:]
    for key in plan.keys {
      largest[key] = table.rows.indices.compactMap { table.number($0, key)?.magnitude }.max() ?? 0
    }
    #expect(table.rows.count == 120)
    for row in table.rows.indices {
      let bar = Int(try #require(table.number(row, "bar")))
      while values.set.count < bar { values.commit(candles[values.set.count]) }
      let forming = CandleContent(
        open: table.fixed(row, "f_open"), high: table.fixed(row, "f_high"), low: table.fixed(row, "f_low"),
        close: table.fixed(row, "f_close"), volume: FixedSum(table.fixed(row, "f_vol")))
      let got = values.preview(forming)
      for (place, key) in plan.keys.enumerated() {
        guard let wanted = table.number(row, key) else {
          #expect(got[place].isNaN, "\(key) row \(row)")
          continue
        }
        var allowed = 1e-9 * max(wanted.magnitude, 1e-3 * largest[key]!)
        if key.hasPrefix("macd") { allowed = max(allowed, 1e-14 * 250) }
        #expect((got[place] - wanted).magnitude <= allowed, "\(key) row \(row): \(got[place]), not \(wanted)")
      }
      if table.number(row, "tick") == 5 { #expect(bits(got) == bits(values.commit(candles[bar]))) }
    }
  }

  /// A million candles, with bad prints and flat stretches: nothing may pile up.
  @Test func aMillionCandlesDoNotDrift() throws {
    let plan = IndicatorPlan(Golden.configuration(.tdx))
    let values = IndicatorSet(plan: plan)
    let room = UnsafeMutablePointer<Double>.allocate(capacity: plan.keys.count)
    let sums = UnsafeMutablePointer<Double>.allocate(capacity: plan.keys.count)
    let counts = UnsafeMutablePointer<Int>.allocate(capacity: plan.keys.count)
    defer {
      room.deallocate()
      sums.deallocate()
      counts.deallocate()
    }
    sums.initialize(repeating: 0, count: plan.keys.count)
    counts.initialize(repeating: 0, count: plan.keys.count)
    let expected = try Golden.Table("drift/drift_1m.expected.csv")
    let listed = expected.rows.indices.map { Int(expected.number($0, "i")!) }
    var kept: [Int: [Double]] = [:]
    var generator = DriftGenerator()
    var close = 0.0
    let keyCount = plan.keys.count
    for index in 0..<1_000_000 {
      let candle = generator.next(index)
      values.commit(candle, into: room)
      for place in 0..<keyCount where !room[place].isNaN {
        sums[place] += room[place]
        counts[place] += 1
      }
      if listed.contains(index) {
        kept[index] = (0..<keyCount).map { room[$0] }
        close = Double(candle.close)
      }
    }
    #expect(generator.hash == 0xbe47_4a4f_2766_991b)
    #expect(kept.count == listed.count)
    for (row, index) in listed.enumerated() {
      for (place, key) in plan.keys.enumerated() {
        let got = try #require(kept[index])[place]
        guard let wanted = expected.number(row, key) else {
          #expect(got.isNaN)
          continue
        }
        let largest = listed.indices.compactMap { expected.number($0, key)?.magnitude }.max() ?? 0
        var allowed = 1e-9 * max(wanted.magnitude, 1e-3 * largest)
        if key.hasPrefix("macd") { allowed = max(allowed, 1e-14 * close) }
        #expect((got - wanted).magnitude <= allowed, "\(key) candle \(index): \(got), not \(wanted)")
      }
    }
    let means = try Golden.Table("drift/drift_1m.means.csv")
    var checked = 0
    for row in means.rows.indices {
      // This file alone has other names for three columns.
      let renamed = ["vma5": "mavol5", "vma10": "mavol10", "macd_bar": "macd_hist"]
      guard let name = means.text(row, "column") else { continue }
      let key = renamed[name] ?? name
      guard let place = plan.keys.firstIndex(of: key) else { continue }
      checked += 1
      #expect(means.number(row, "non_null_count") == Double(counts[place]), "\(key)")
      let wanted = try #require(means.number(row, "mean_over_non_null"))
      #expect((sums[place] / Double(counts[place]) - wanted).magnitude <= 1e-8 * wanted.magnitude, "\(key)")
    }
    #expect(checked == 25)
  }
}

/// The million candles of the drift set, and the hash that its description gives.
struct DriftGenerator {
  private var random = SplitMix64(state: 42)
  private var price: Int64 = 1_000_000
  private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func next(_ index: Int) -> CandleContent {
    var open = price
    var high = price
    var low = price
    var volume: Int64 = 0
    if !(4_900..<4_930).contains(index % 5_000) {
      var step = Int64(random.next() % 401) - 200
      if random.next() % 10_000 == 0 { step *= 50 }
      var next = price + step
      if next < 1_000 { next = 2_000 - next }
      if next > 100_000_000 { next = 200_000_000 - next }
      high = max(price, next) + Int64(random.next() % 101)
      low = max(1, min(price, next) - Int64(random.next() % 101))
      volume = Int64(random.next() % 1_000_000)
      open = price
      price = next
    }
    for value in [Int64(index), open, high, low, price, volume] {
      for byte in 0..<8 {
        hash = (hash ^ (UInt64(bitPattern: value) >> (8 * UInt64(byte)) & 0xff)) &* 0x0000_0100_0000_01b3
      }
    }
    return CandleContent(
      open: Fixed(coefficient: open, scale: 2), high: Fixed(coefficient: high, scale: 2),
      low: Fixed(coefficient: low, scale: 2), close: Fixed(coefficient: price, scale: 2),
      volume: FixedSum(Fixed(coefficient: volume, scale: 0)))
  }
}
