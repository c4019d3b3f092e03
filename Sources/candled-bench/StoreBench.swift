import CandleCore
import CandleStore
import Glibc

/// Settled candles through the writer of `CandleStore`, and the newest 500 of a series from its readers.
enum StoreBench {
  static func run(_ options: Options) throws {
    let rows = options.number("rows", 200_000)
    let batch = options.number("batch", 1_000)
    let symbols = options.number("symbols", 1_000)
    let directory = try directory(options)
    let path = directory + "/bench.db"
    defer { remove(directory, path) }
    let store = try CandleStore.open(path: path)
    let contents = SampleCandles.walk(1_000)
    var next = 0
    let written = Spent.on {
      while next < rows {
        var work = WriteBatch()
        for number in next..<min(next + batch, rows) {
          if number < symbols { work.symbols.append((Int32(number), "SYM\(number)")) }
          work.candles.append(row(number, symbols, contents[number % contents.count]))
        }
        next += batch
        store.submit(work)
        // As the daemon does it, what waits is merged; no more than a few batches wait here.
        while store.pendingBatches > 4 { usleep(100) }
      }
      while store.pendingBatches > 0 { usleep(100) }
    }
    var figures = Figures("store")
    figures.add("rows", rows)
    figures.add("batch", batch)
    figures.add("symbols", symbols)
    figures.add("row", written, count: rows)
    figures.add("rows_per_second", Double(rows) / Double(written.wall) * 1e9)
    try query("query", store, symbols, &figures)
    // The same while candles are stored.
    try query("query_while_storing", store, symbols, &figures) {
      if store.pendingBatches > 1 { return }
      var work = WriteBatch()
      for _ in 0..<100 {
        work.candles.append(row(next, symbols, contents[next % contents.count]))
        next += 1
      }
      store.submit(work)
    }
    _ = store.close()
    figures.print()
  }

  /// All symbols minute by minute.
  private static func row(_ number: Int, _ symbols: Int, _ content: CandleContent) -> CandleRow {
    CandleRow(
      series: SeriesKey(symbol: Int32(number % symbols), timeframe: .M1),
      candle: Candle(
        openTime: 1_700_000_040_000 + Int64(number / symbols) * 60_000, content: content, origin: .ticks,
        complete: true, settlement: Settlement(revision: 0, settledBy: .tick, version: Int64(number + 1))))
  }

  /// - Parameter meanwhile: done before each query.
  private static func query(
    _ name: String, _ store: CandleStore, _ symbols: Int, _ figures: inout Figures, meanwhile: () -> Void = {}
  ) throws {
    var samples: [Int64] = []
    var random = Random(state: 3)
    for _ in 0..<500 {
      let symbol = "SYM\(random.below(symbols))"
      meanwhile()
      let spent = try Spent.on {
        consume(
          try store.readNow { reader throws(StoreError) in
            try reader.candles(symbol: symbol, timeframe: .M1, limit: 500, newest: true)
          })
      }
      samples.append(spent.wall)
    }
    samples.sort()
    figures.add("\(name)_p50_us", Double(samples[samples.count / 2]) / 1_000)
    figures.add("\(name)_p99_us", Double(samples[samples.count * 99 / 100]) / 1_000)
  }

  static func remove(_ directory: String, _ path: String) {
    for ending in ["", "-wal", "-shm", ".lock"] { unlink(path + ending) }
    rmdir(directory)
  }

  /// A new folder, in memory where that is possible: the disk is not what is measured.
  static func directory(_ options: Options) throws -> String {
    let parent = options.text("directory") ?? (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
    let path = parent + "/candled-bench-\(getpid())"
    guard mkdir(path, 0o700) == 0 else { throw BenchError(message: "\(path): \(String(cString: strerror(errno)))") }
    return path
  }
}

struct BenchError: Error {
  var message: String
}
