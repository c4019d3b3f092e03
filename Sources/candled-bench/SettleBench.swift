import CandleCore
import CandleEngine
import CandleFeeds

/// Lines to settled candles of M1, M5 and M15, without a store: what `candled replay` does before it writes.
enum SettleBench {
  static func run(_ options: Options) {
    let ticks = options.number("ticks", 2_000_000)
    let symbols = options.number("symbols", 1)
    let chunk = options.number("chunk", 8 << 10)
    // Of event time, all symbols together, a second.
    let rate = min(999, options.number("rate", symbols > 1 ? 500 : 20))
    let text = TickText(ticks: ticks, symbols: symbols, ticksPerSecond: rate)
    let replayer = Replayer(rules: SettlementRules(timeframes: [.M1, .M5, .M15]), version: 0)
    if symbols == 1 { _ = replayer.addSymbol() }
    var batch = TickBatch()
    var candles = 0
    let spent = Spent.on {
      candles = measuredPass(text, chunk: chunk, hasSymbols: symbols > 1, replayer, &batch)
    }
    precondition(replayer.accepted == ticks, "every tick is accepted")
    var figures = Figures("settle")
    figures.add("ticks", ticks)
    figures.add("symbols", symbols)
    figures.add("candles", candles)
    figures.add("tick", spent, count: ticks)
    figures.print()
  }

  /// All that is measured; `scripts/instructions` counts what runs inside.
  /// - Returns: the number of candles.
  @inline(never)
  static func measuredPass(
    _ text: TickText, chunk: Int, hasSymbols: Bool, _ replayer: Replayer, _ batch: inout TickBatch
  ) -> Int {
    let format = TextFormat(timestamp: .auto, symbolColumn: hasSymbols ? .first : .none(0))
    var interner = SymbolInterner()
    var candles = 0
    text.bytes.withUnsafeBytes { bytes in
      var at = 0
      var line = 0
      while at < bytes.count {
        // Whole lines, at most a chunk of them.
        while line + 1 < text.starts.count, text.starts[line + 1] - at <= chunk { line += 1 }
        let end = text.starts[line]
        batch.clear()
        format.parse(UnsafeRawBufferPointer(rebasing: bytes[at..<end]), into: &batch, symbols: &interner) { _ in
          .success(replayer.addSymbol())
        }
        batch.ticks.withUnsafeBufferPointer { replayer.ingest($0) { _, _ in } }
        replayer.takeUpdates { _ in candles += 1 }
        at = end
      }
    }
    replayer.finish()
    replayer.takeUpdates { _ in candles += 1 }
    return candles
  }
}
