import CandleConfiguration
import CandleCore
import CandleStore

/// Recomputes longer candles from shorter ones, and checks order, alignment and versions.
enum VerifyCommand {
  static func run(_ invocation: Invocation) -> ExitCode {
    do {
      let archive = try CandleArchive.open(path: invocation.text("db") ?? "candles.db")
      let verification = try archive.read { reader throws(StoreError) in
        var verification = Verification()
        try verification.run(reader)
        return verification
      }
      print(
        "verified \(verification.candles) candles of \(verification.series) series: "
          + "\(verification.differences) differences")
      return verification.differences == 0 ? .ok : .differences
    } catch {
      Console.error("candled verify: \(error)")
      return .io
    }
  }
}

/// One pass over a database.
struct Verification {
  /// Longer candles whose parts are read at once.
  private static let page = 500

  private(set) var candles = 0
  private(set) var series = 0
  private(set) var differences = 0

  mutating func run(_ reader: StoreReader) throws(StoreError) {
    for damage in try reader.damages() { report("database: \(damage)") }
    for version in try reader.doubledVersions(limit: 100) { report("version \(version) occurs twice") }
    let recorded = try reader.recordedVersion()
    let all = try reader.series()
    let isWhole = try reader.droppedVersion() == 0
    for one in all {
      series += 1
      let shorter = all.filter { $0.symbol == one.symbol && $0.timeframe.divides(one.timeframe) }
      let parts = shorter.max { $0.timeframe < $1.timeframe }
      try check(one, parts: parts, recorded: recorded, isWhole: isWhole, reader)
    }
  }

  private mutating func check(
    _ one: StoredSeries, parts: StoredSeries?, recorded: Int64, isWhole: Bool, _ reader: StoreReader
  ) throws(StoreError) {
    var from = Milliseconds.min
    while true {
      let page = try reader.candles(symbol: one.symbol, timeframe: one.timeframe, from: from, limit: Self.page)
      guard let first = page.first, let last = page.last else { return }
      candles += page.count
      var inside: [Candle] = []
      if let parts {
        inside = try reader.candles(
          symbol: parts.symbol, timeframe: parts.timeframe, from: first.openTime,
          to: last.openTime + one.timeframe.interval, limit: .max)
      }
      var next = 0
      for candle in page {
        checkAlone(candle, one, recorded: recorded)
        let end = candle.openTime + one.timeframe.interval
        let begin = next
        while next < inside.count, inside[next].openTime < end { next += 1 }
        // Where retention took shorter candles away nothing can be recomputed.
        guard let parts, isWhole || candle.openTime >= parts.oldest ?? .max else { continue }
        // The end of a replay has cut it, and it goes on: it is stored anew when its interval is over.
        let isCut = candle.settlement?.settledBy == .end && candle.settlement?.revision == 0
        let version = candle.settlement?.version ?? 0
        if isCut, inside[begin..<next].contains(where: { $0.settlement?.version ?? 0 > version }) { continue }
        checkFold(candle, one, inside[begin..<next])
      }
      from = last.openTime + 1
    }
  }

  private mutating func checkAlone(_ candle: Candle, _ one: StoredSeries, recorded: Int64) {
    let name = "\(one.symbol) \(one.timeframe.name) \(candle.openTime)"
    if one.timeframe.openTime(of: candle.openTime) != candle.openTime {
      report("\(name): the open time is no boundary")
    }
    let content = candle.content
    if content.low > min(content.open, content.close) || content.high < max(content.open, content.close) {
      report(
        "\(name): low \(content.low) or high \(content.high) is inside open \(content.open), close \(content.close)")
    }
    if let version = candle.settlement?.version, version > recorded {
      report("\(name): version \(version) is above the recorded \(recorded)")
    }
  }

  private mutating func checkFold(_ candle: Candle, _ one: StoredSeries, _ parts: ArraySlice<Candle>) {
    let name = "\(one.symbol) \(one.timeframe.name) \(candle.openTime)"
    guard !parts.isEmpty else { return report("\(name): no shorter candle is inside") }
    let trading = parts.filter { $0.origin != .flat }
    guard let first = trading.first, let last = trading.last else {
      if candle.origin != .flat { report("\(name): all shorter candles inside are flat") }
      return
    }
    var volume = FixedSum.zero
    for part in trading { _ = volume.add(part.content.volume) }
    func compare<T: Equatable>(_ what: String, _ stored: T, _ folded: T) {
      if stored != folded { report("\(name): \(what) is \(stored), the shorter candles yield \(folded)") }
    }
    compare("open", candle.content.open, first.content.open)
    compare("close", candle.content.close, last.content.close)
    compare("high", candle.content.high, trading.map(\.content.high).max() ?? .zero)
    compare("low", candle.content.low, trading.map(\.content.low).min() ?? .zero)
    compare("volume", candle.content.volume, volume)
    let counts = trading.map(\.content.ticks)
    if let ticks = candle.content.ticks, !counts.contains(nil) {
      compare("ticks", ticks, counts.reduce(0) { $0 + ($1 ?? 0) })
    }
  }

  private mutating func report(_ text: String) {
    differences += 1
    print(text)
  }
}
