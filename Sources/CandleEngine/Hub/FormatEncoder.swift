import CandleCore
import CandleWire

/// One format that some reader wants; makes each message once for all of them.
final class FormatEncoder {
  private(set) var dialect: CandleDialect
  /// Readers that want it.
  var readers = 0
  /// Whole lines by series; only `rhlineplot`, whose messages are the whole object.
  private var lines: [SeriesName: LinePlot] = [:]
  private let out = ByteWriter(capacity: 1_024)
  /// Number of the publication that `made` belongs to.
  private var stamp: UInt64 = 0
  private var made: Frame?

  init(_ format: CandleFormat, keys: IndicatorKeys) { dialect = CandleDialect(format, keys: keys) }

  var format: CandleFormat { dialect.format }

  func change(keys: IndicatorKeys) { dialect = CandleDialect(format, keys: keys) }

  /// The frame of a publication: made at the first call with its stamp, the same one from then on.
  /// - Parameter onMake: called when one was made.
  /// - Returns: nil where the format has nothing to say.
  func frame(_ message: borrowing CandleMessage, stamp: UInt64, onMake: () -> Void) -> Frame? {
    if stamp != self.stamp {
      self.stamp = stamp
      made = frame(message)
      if made != nil { onMake() }
    }
    return made
  }

  /// The same, made for one reader.
  func frame(_ message: borrowing CandleMessage) -> Frame? {
    if format.kind == .rhlineplot {
      let series = SeriesName(message.symbol, message.timeframe)
      take(message.candle, of: series)
      return line(of: series, time: message.time)
    }
    out.clear()
    guard dialect.write(message, to: out) else { return nil }
    return Frame(text: out.bytes)
  }

  /// The last candles of a series, as a history.
  func snapshot(_ candles: [(candle: Candle, values: [Double]?)], of series: SeriesName, time: Milliseconds) -> Frame {
    if format.kind == .rhlineplot {
      for one in candles { take(one.candle, of: series) }
      return line(of: series, time: time)
    }
    out.clear()
    dialect.writeHistory(candles.map(\.candle), candles.map(\.values), time: time, to: out)
    return Frame(text: out.bytes)
  }

  func take(_ candle: Candle, of series: SeriesName) {
    lines[series, default: LinePlot(limit: format.points, segment: format.segment)].take(candle)
  }

  func line(of series: SeriesName, time: Milliseconds) -> Frame {
    out.clear()
    (lines[series] ?? LinePlot(limit: 1, segment: format.segment)).write(time: time, to: out)
    return Frame(text: out.bytes)
  }
}

/// A series by its name, as readers know it.
struct SeriesName: Hashable {
  let symbol: String
  let timeframe: Timeframe

  init(_ symbol: String, _ timeframe: Timeframe) {
    self.symbol = symbol
    self.timeframe = timeframe
  }
}
