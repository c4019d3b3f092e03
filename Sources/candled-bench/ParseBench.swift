import CandleCore
import CandleFeeds

/// Lines of the text format to ticks, as a producer's connection reads them.
enum ParseBench {
  static func run(_ options: Options) {
    let ticks = options.number("ticks", 2_000_000)
    let text = TickText(ticks: ticks)
    var figures = Figures("parse")
    figures.add("ticks", ticks)
    for lines in [1, 100] {
      var batch = TickBatch()
      var seen = 0
      let spent = Spent.on { seen = pass(text, lines: lines, into: &batch) }
      precondition(seen == ticks, "every line is a tick")
      figures.add("tick_\(lines)_a_frame", spent, count: ticks)
    }
    figures.print()
  }

  /// - Returns: the number of ticks.
  @inline(never)
  static func pass(_ text: TickText, lines: Int, into batch: inout TickBatch) -> Int {
    let format = TextFormat(timestamp: .auto, symbolColumn: .none(0))
    var seen = 0
    text.bytes.withUnsafeBytes { bytes in
      var line = 0
      while line < text.starts.count - 1 {
        let end = min(line + lines, text.starts.count - 1)
        batch.clear()
        format.parse(
          UnsafeRawBufferPointer(rebasing: bytes[text.starts[line]..<text.starts[end]]), into: &batch
        ) { _ in .failure(.unknownSymbol) }
        seen += batch.ticks.count
        line = end
      }
    }
    return seen
  }
}
