import CandleCore
import CandleFeeds

/// A recorded stream of trades: lines of the text format, and when each happened.
struct Recording: Sendable {
  struct Line: Sendable {
    var time: Milliseconds
    var text: [UInt8]
  }

  var lines: [Line] = []

  /// - Parameter text: `timestamp,price[,volume[,trade_id]]` a line, in the order of time.
  init(_ text: [UInt8]) {
    let format = TextFormat(symbolColumn: .none(0))
    var batch = TickBatch()
    text.withUnsafeBytes { bytes in
      format.parse(bytes, into: &batch) { _ in .failure(.unknownSymbol) }
      for (tick, range) in zip(batch.ticks, batch.ranges) {
        lines.append(Line(time: tick.time.milliseconds, text: Array(bytes[range])))
      }
    }
  }

  /// Milliseconds from the first line to the last.
  var length: Milliseconds { (lines.last?.time ?? 0) - (lines.first?.time ?? 0) }
}
