import CandleConfiguration
import CandleCore
import CandleEngine
import CandleFeeds
import CandleStore
import Foundation

/// What ended a command before it was done.
struct CommandFailure: Error {
  var code: ExitCode
  var message: String
}

/// Fills one symbol of a database that no daemon has open, by the rules of the seam.
final class OfflineFill {
  private let store: CandleStore
  private let engine: Engine
  private let symbol: Int32
  private let name: String
  private let rules: SettlementRules
  private let timeframe: Timeframe
  /// Gaps of the symbol that are not filled, with what is unknown of them.
  private var holes: [(gap: Gap, left: RangeList)] = []
  private(set) var filled: Int64 = 0
  private(set) var mismatched: Int64 = 0
  private(set) var known = 0

  /// - Parameters:
  ///   - timeframe: of the candles that will come; no other configured one divides it.
  ///   - database: the path; made if it is not there.
  init(_ name: String, _ timeframe: Timeframe, rules: SettlementRules, database: String) throws {
    guard rules.roots.contains(timeframe) else {
      throw CommandFailure(
        code: .usage,
        message: "\(timeframe.name) is made of shorter timeframes; candles are taken in "
          + rules.roots.map(\.name).joined(separator: ", "))
    }
    self.name = name
    self.timeframe = timeframe
    self.rules = rules
    store = try CandleStore.open(path: database)
    engine = Engine(EngineConfiguration(rules: rules), version: store.lastVersion)
    let (history, gaps) = try store.readNow { reader throws(StoreError) in
      (
        try reader.history(
          of: name, rules: rules, openGap: try reader.openGaps().first { $0.symbol == name }),
        try reader.gaps(symbol: name)
      )
    }
    engine.restore(history)
    guard let symbol = engine.intern(name) else { throw CommandFailure(code: .badInput, message: "no such symbol") }
    self.symbol = symbol
    engine.finishRestore(alive: nil, at: MachineClock.now())
    holes = gaps.filter { !$0.filled && $0.to != nil }.map {
      let gap = Gap(symbol: symbol, from: $0.from, to: $0.to, reason: $0.reason, version: $0.version)
      let range = gap.unknown
      let begin = timeframe.openTime(of: range.lowerBound)
      return (gap, RangeList([begin..<timeframe.nextBoundary(after: range.upperBound - 1)]))
    }
  }

  /// What has ended, its grace included.
  var settledUntil: Milliseconds { timeframe.openTime(of: MachineClock.now().wall - rules.grace) }

  /// Takes what a source or a file says of a range.
  /// - Parameters:
  ///   - rows: inside the range, oldest first, each once.
  ///   - isWhole: whether what is left out had no ticks.
  func take(_ rows: [FilledInterval], of range: Range<Milliseconds>, isWhole: Bool) throws {
    guard !rows.isEmpty else { return }
    let rules = rules
    let name = name
    let root = rules.timeframes.firstIndex(of: timeframe) ?? 0
    engine.beginFill(symbol)
    var reading = try store.readNow { reader throws(StoreError) in
      try reader.fillReading(name, rules: rules, root: root, asked: range, warmUp: nil)
    }
    // Nothing is known of what nobody has told: what is left out, and what comes after.
    var unknown = RangeList([range.upperBound..<Milliseconds.max])
    if !isWhole {
      unknown.insert(range)
      for row in rows { unknown.remove(row.openTime..<row.openTime + timeframe.interval) }
    }
    for hole in unknown.ranges {
      reading.gaps.append(Gap(symbol: symbol, from: hole.lowerBound, to: hole.upperBound, reason: .restart, version: 0))
    }
    let outcome = engine.fill(
      symbol, timeframe, rows, reading, learned: RangeList(), at: MachineClock.now())
    filled += outcome.filled
    mismatched += outcome.mismatched
    known += outcome.known.count
    for openTime in outcome.known {
      for index in holes.indices { holes[index].left.remove(openTime..<openTime + timeframe.interval) }
    }
    for hole in holes where hole.left.isEmpty { engine.markFilled(hole.gap) }
    holes.removeAll { $0.left.isEmpty }
    submit()
  }

  private func submit() {
    guard let taken = engine.takeBatch() else { return }
    var batch = WriteBatch()
    batch.symbols = taken.symbols.map { ($0.id, $0.name) }
    batch.candles = taken.updates.map { CandleRow(series: $0.series, candle: $0.candle) }
    batch.gaps = taken.gaps
    batch.lastVersion = taken.version
    store.submit(batch)
    engine.stored(upTo: taken.version)
    engine.takePublications { _ in }
    // The next part reads what this one wrote.
    while store.pendingBatches > 0 { usleep(1_000) }
  }

  /// Writes the last of it.
  func finish() throws {
    // Longer candles that ended with the clock are settled with what they hold.
    engine.tick(at: MachineClock.now())
    submit()
    // From the newest candle on nothing is known, until a daemon listens.
    let timeframe = timeframe
    let name = name
    let (last, open) = try store.readNow { reader throws(StoreError) in
      (try reader.lastCandle(symbol: name, timeframe: timeframe), try reader.openGaps().contains { $0.symbol == name })
    }
    if let last, !open, last.origin == .history {
      engine.beginGap(symbol, at: last.openTime + timeframe.interval, reason: .restart)
      submit()
    }
    guard store.close(deadlineMilliseconds: 60_000) == 0 else {
      throw CommandFailure(code: .io, message: "the database takes no writes")
    }
  }
}
