import CandleCore
import CandleIndicators
import Foundation

/// The golden files: expected values that were not computed by this program.
enum Golden {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["CANDLED_GOLDEN"] { return URL(filePath: path) }
    return URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/golden")
  }()

  /// A table with named columns; an empty cell is nil.
  struct Table {
    var columns: [String: Int]
    var rows: [[Substring]]

    init(_ path: String) throws {
      let text = try String(contentsOf: Golden.folder.appending(path: path), encoding: .utf8)
      var lines = text.split(whereSeparator: \.isNewline).map {
        $0.split(separator: ",", omittingEmptySubsequences: false)
      }
      columns = [:]
      for (index, name) in lines.removeFirst().enumerated() { columns[String(name)] = index }
      rows = lines
    }

    func text(_ row: Int, _ column: String) -> String? {
      guard let index = columns[column], !rows[row][index].isEmpty else { return nil }
      return String(rows[row][index])
    }

    func number(_ row: Int, _ column: String) -> Double? { text(row, column).flatMap(Double.init) }

    func fixed(_ row: Int, _ column: String) -> Fixed { Fixed(text(row, column) ?? "0") ?? .zero }
  }

  /// Names of the sets in a folder of expected values.
  static func sets(_ folder: String) throws -> [String] {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.appending(path: folder).path)
    return names.filter { $0.hasSuffix(".core.csv") }.sorted()
  }

  static func candles(_ path: String) throws -> [CandleContent] {
    let table = try Table(path)
    return table.rows.indices.map { row in
      CandleContent(
        open: table.fixed(row, "open"), high: table.fixed(row, "high"), low: table.fixed(row, "low"),
        close: table.fixed(row, "close"), volume: FixedSum(table.fixed(row, "vol")))
    }
  }

  /// The core columns of the golden files.
  static func configuration(_ convention: IndicatorConvention) -> IndicatorConfiguration {
    var configuration = IndicatorConfiguration(convention: convention)
    configuration.ma = [5, 10, 20, 30, 60]
    configuration.ema = [12, 26]
    configuration.rsi = [6, 12, 14, 24]
    configuration.wr = [6, 10, 14]
    return configuration
  }

  /// What differs from a table that lists candles by number in column `i`, in words.
  static func differences(_ values: [[Double]], keys: [String], from expected: Table, closes: [Double]) -> [String] {
    var found: [String] = []
    let price = closes.map(\.magnitude).max() ?? 0
    for (place, key) in keys.enumerated() {
      let column = expected.rows.indices.map { expected.number($0, key) }
      let largest = column.compactMap { $0?.magnitude }.max() ?? 0
      // Means are rational numbers that are rounded once, so only the twelve digits of the file limit them.
      let relative = key.hasPrefix("ma") && !key.hasPrefix("macd") ? 1e-11 : 1e-9
      for row in expected.rows.indices {
        guard let candle = expected.number(row, "i"), values.indices.contains(Int(candle)) else {
          found.append("\(key) row \(row): no such candle")
          continue
        }
        let got = values[Int(candle)][place]
        guard let wanted = column[row] else {
          if !got.isNaN { found.append("\(key) candle \(Int(candle)): \(got) instead of no value") }
          continue
        }
        var allowed = relative * max(wanted.magnitude, 1e-3 * largest)
        if key.hasPrefix("macd") { allowed = max(allowed, 1e-14 * price) }
        if !((got - wanted).magnitude <= allowed) {
          found.append("\(key) candle \(Int(candle)): \(got) instead of \(wanted)")
        }
      }
    }
    return found
  }
}

extension CandleContent {
  init(open: Fixed, high: Fixed, low: Fixed, close: Fixed, volume: FixedSum) {
    self.init(
      open: open, high: high, low: low, close: close, volume: volume, turnover: nil, takerBuyVolume: nil, ticks: 1)
  }

  /// A candle of one price.
  init(_ price: Fixed, volume: Fixed = "1") {
    self.init(open: price, high: price, low: price, close: price, volume: FixedSum(volume))
  }
}

/// An indicator set that returns arrays.
final class Values {
  let set: IndicatorSet
  private let room: UnsafeMutableBufferPointer<Double>

  init(_ set: IndicatorSet) {
    self.set = set
    room = .allocate(capacity: max(1, set.plan.keys.count))
    room.initialize(repeating: 0)
  }

  convenience init(_ configuration: IndicatorConfiguration, correctionWindow: Int = 0) {
    self.init(IndicatorSet(plan: IndicatorPlan(configuration), correctionWindow: correctionWindow))
  }

  deinit { room.deallocate() }

  func preview(_ candle: CandleContent) -> [Double] {
    set.preview(candle, into: room.baseAddress!)
    return Array(room.prefix(set.plan.keys.count))
  }

  @discardableResult func commit(_ candle: CandleContent) -> [Double] {
    set.commit(candle, into: room.baseAddress!)
    return Array(room.prefix(set.plan.keys.count))
  }

  /// The value of a key in the last answer.
  subscript(key: String) -> Double { room[set.plan.keys.firstIndex(of: key)!] }

  static func batch(_ candles: [CandleContent], _ plan: IndicatorPlan) -> [[Double]] {
    let values = Values(IndicatorSet(plan: plan))
    return candles.map { values.commit($0) }
  }
}

/// The bits, so that no value equals no value.
func bits(_ values: [Double]) -> [UInt64] { values.map { $0.isNaN ? .max : $0.bitPattern } }

/// As the golden files write numbers.
func twelveDigits(_ value: Double) -> String { value.isNaN ? "" : String(format: "%.12g", value) }

/// SplitMix64, as in the description of the golden files.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
