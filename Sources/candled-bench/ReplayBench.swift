import CandleCore
import CandleEngine
import CandleFeeds
import CandleStore
import Glibc

/// Lines to stored candles: what `candled replay` does, from memory.
enum ReplayBench {
  static func run(_ options: Options) throws {
    let ticks = options.number("ticks", 2_000_000)
    let symbols = options.number("symbols", 1)
    let text = TickText(ticks: ticks, symbols: symbols, ticksPerSecond: symbols > 1 ? 500 : 20)
    let directory = try StoreBench.directory(options)
    let path = directory + "/replay.db"
    defer { StoreBench.remove(directory, path) }
    let loader = try BulkLoader.open(path: path)
    let replayer = Replayer(rules: SettlementRules(timeframes: [.M1, .M5, .M15]), version: 0)
    if symbols == 1 {
      _ = replayer.addSymbol()
      loader.name(0, "X")
    }
    var batch = TickBatch()
    var failure: StoreError?
    let spent = Spent.on {
      do throws(StoreError) {
        try replay(text, hasSymbols: symbols > 1, replayer, loader, &batch)
      } catch { failure = error }
    }
    let rows = loader.committed
    loader.close()
    if let failure { throw failure }
    precondition(replayer.accepted == ticks, "every tick is accepted")
    var figures = Figures("replay")
    figures.add("ticks", ticks)
    figures.add("symbols", symbols)
    figures.add("rows", rows)
    figures.add("tick", spent, count: ticks)
    figures.print()
  }

  @inline(never)
  private static func replay(
    _ text: TickText, hasSymbols: Bool, _ replayer: Replayer, _ loader: BulkLoader, _ batch: inout TickBatch
  ) throws(StoreError) {
    let format = TextFormat(timestamp: .auto, symbolColumn: hasSymbols ? .first : .none(0))
    var interner = SymbolInterner()
    var line = 0
    // About eight kilobytes at a time, as the command does it.
    let step = 200
    while line < text.starts.count - 1 {
      let end = min(line + step, text.starts.count - 1)
      batch.clear()
      text.bytes.withUnsafeBytes { all in
        let part = UnsafeRawBufferPointer(rebasing: all[text.starts[line]..<text.starts[end]])
        _ = format.parse(part, into: &batch, symbols: &interner) { name in
          let number = replayer.addSymbol()
          loader.name(number, String(decoding: name, as: UTF8.self))
          return .success(number)
        }
      }
      batch.ticks.withUnsafeBufferPointer { replayer.ingest($0) { _, _ in } }
      try store(replayer, loader)
      line = end
    }
    replayer.finish()
    try store(replayer, loader)
    try loader.finish()
  }

  private static func store(_ replayer: Replayer, _ loader: BulkLoader) throws(StoreError) {
    try replayer.takeUpdates { update throws(StoreError) in
      try loader.append(update.series, update.candle)
    }
  }
}
