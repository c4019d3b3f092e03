import CandleCore
import CandleStore
import Foundation
import Synchronization
import Testing

/// A directory of its own for one test, removed with the object.
final class Scratch {
  let directory: URL
  var database: String { directory.appendingPathComponent("candles.db").path }

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("candle-store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func bytes() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: database)) }
  func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
}

/// SplitMix64: the same numbers from the same seed.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

/// Values that tests collect from callbacks on other threads.
final class Collected<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  func add(_ value: Value) { values.withLock { $0.append(value) } }
  var all: [Value] { values.withLock { $0 } }

  /// Polls for up to ten seconds.
  func wait(_ enough: ([Value]) -> Bool) -> Bool {
    for _ in 0..<2_000 {
      if enough(all) { return true }
      usleep(5_000)
    }
    return false
  }
}

let minute: Milliseconds = 60_000
let start: Milliseconds = 1_700_000_040_000

func candle(
  _ index: Int, version: Int64, revision: Int32 = 0, close: Fixed = "36505.75", settledBy: SettledBy = .tick
) -> Candle {
  Candle(
    openTime: start + Milliseconds(index) * minute,
    content: CandleContent(
      open: "36500.25", high: "36510", low: "36499.5", close: close, volume: FixedSum("12.345" as Fixed),
      turnover: FixedSum("450658.31" as Fixed), takerBuyVolume: nil, ticks: 482),
    origin: .ticks, complete: true,
    settlement: Settlement(revision: revision, settledBy: settledBy, version: version))
}

func row(_ symbol: Int32, _ index: Int, version: Int64, revision: Int32 = 0, timeframe: Timeframe = .M1) -> CandleRow {
  CandleRow(
    series: SeriesKey(symbol: symbol, timeframe: timeframe),
    candle: candle(index, version: version, revision: revision))
}

func batch(_ rows: [CandleRow], symbols: [(id: Int32, name: String)] = []) -> WriteBatch {
  var batch = WriteBatch()
  batch.symbols = symbols
  batch.candles = rows
  batch.lastVersion = rows.compactMap { $0.candle.settlement?.version }.max() ?? 0
  return batch
}

func randomFixed(_ random: inout SeededRandom, negative: Bool = false) -> Fixed {
  let digits = Int.random(in: 1...18, using: &random)
  let coefficient = Int64.random(in: 0..<PowersOfTen.int64(digits), using: &random)
  let sign: Int64 = negative && Bool.random(using: &random) ? -1 : 1
  return Fixed(coefficient: sign * coefficient, scale: UInt8.random(in: 0...18, using: &random))
}

func randomSum(_ random: inout SeededRandom, maximumScale: UInt8) -> FixedSum {
  let high = Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random)
  let wide = Bool.random(using: &random) ? Int128(high) << 64 | Int128(random.next()) : Int128(high)
  return FixedSum(coefficient: wide, scale: UInt8.random(in: 0...maximumScale, using: &random))
}

/// A candle of anything that the types can hold, however unlikely.
func randomCandle(_ openTime: Milliseconds, version: Int64, _ random: inout SeededRandom) -> Candle {
  let alike = Bool.random(using: &random)
  let first = randomFixed(&random, negative: true)
  func price(_ random: inout SeededRandom) -> Fixed {
    alike ? Fixed(coefficient: first.coefficient / 3, scale: first.scale) : randomFixed(&random, negative: true)
  }
  return Candle(
    openTime: openTime,
    content: CandleContent(
      open: first, high: price(&random), low: price(&random), close: price(&random),
      volume: randomSum(&random, maximumScale: 18),
      turnover: Int.random(in: 0..<5, using: &random) == 0 ? nil : randomSum(&random, maximumScale: 36),
      takerBuyVolume: Bool.random(using: &random) ? nil : randomSum(&random, maximumScale: 18),
      ticks: Int.random(in: 0..<5, using: &random) == 0 ? nil : Int64.random(in: 0...(.max), using: &random)),
    origin: [.ticks, .flat, .history].randomElement(using: &random)!, complete: Bool.random(using: &random),
    settlement: Settlement(
      revision: Int32.random(in: 0...(.max), using: &random),
      settledBy: [.tick, .clock, .end, .history].randomElement(using: &random)!, version: version,
      bornLate: Bool.random(using: &random)))
}

/// The `sqlite3` shell, as a user has it.
@discardableResult
func shell(_ database: String, _ sql: String) throws -> String {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["sqlite3", "-bail", database, sql]
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}
