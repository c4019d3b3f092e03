import CandleCore

/// A candle on its way to subscribers, in whatever form they want it.
public struct CandleMessage {
  public var type: StreamEncoder.MessageType
  public var kind: Topic.Kind
  public var candle: Candle
  public var symbol: String
  public var timeframe: Timeframe
  /// Of the indicators; nil where none are known.
  public var values: UnsafeBufferPointer<Double>?
  /// Event time of the symbol's newest tick.
  public var lastTick: Milliseconds?
  /// Server time.
  public var time: Milliseconds

  public init(
    type: StreamEncoder.MessageType, kind: Topic.Kind, candle: Candle, symbol: String, timeframe: Timeframe,
    values: UnsafeBufferPointer<Double>?, lastTick: Milliseconds? = nil, time: Milliseconds = 0
  ) {
    self.type = type
    self.kind = kind
    self.candle = candle
    self.symbol = symbol
    self.timeframe = timeframe
    self.values = values
    self.lastTick = lastTick
    self.time = time
  }
}

/// Writes candles in one format. Each of the formats has a file of its own; here they are told apart.
public final class CandleDialect {
  public let format: CandleFormat
  private let keys: IndicatorKeys
  private var klineView: KlineView

  public init(_ format: CandleFormat, keys: IndicatorKeys) {
    self.format = format
    self.keys = keys
    klineView = KlineView(keys: keys, zone: format.zone, titlesArePeriods: format.titlesArePeriods)
  }

  /// One message of the stream.
  /// - Returns: false if the format has nothing to say here; then nothing is written.
  public func write(_ message: borrowing CandleMessage, to out: ByteWriter) -> Bool {
    switch format.kind {
    case .binance: BinanceKline.writeEvent(message, to: out)
    case .binanceCombined: BinanceKline.writeCombined(message, to: out)
    case .zxkline: return ZXKline.write(message, to: out)
    case .csv:
      CandleCSV.write(message.candle, to: out)
      out.truncate(to: out.count - 1)
    case .json, .rhlineplot: return false
    case .lightweight, .line, .klineview, .klinecharts: writeElement(message.candle, message.values, to: out)
    }
    return true
  }

  /// A history: the whole body of an answer, oldest first.
  /// - Parameters:
  ///   - values: as many as there are candles.
  ///   - time: server time.
  public func writeHistory(_ candles: [Candle], _ values: [[Double]?], time: Milliseconds, to out: ByteWriter) {
    if format.kind == .rhlineplot {
      LinePlot(candles: candles, limit: candles.count, segment: format.segment).write(time: time, to: out)
      return
    }
    out.write(format.kind == .csv ? CandleCSV.header : "[")
    for index in candles.indices {
      if index > 0, format.kind != .csv { out.write(",") }
      if let row = values[index] {
        row.withUnsafeBufferPointer { writeElement(candles[index], $0, to: out) }
      } else {
        writeElement(candles[index], nil, to: out)
      }
    }
    if format.kind != .csv { out.write("]") }
  }

  private func writeElement(_ candle: Candle, _ values: UnsafeBufferPointer<Double>?, to out: ByteWriter) {
    switch format.kind {
    case .lightweight: Lightweight.write(candle, to: out)
    case .line: Lightweight.writeLine(candle, to: out)
    case .klineview: klineView.write(candle, values, to: out)
    case .klinecharts: KLineCharts.write(candle, values, keys: keys, to: out)
    case .zxkline: ZXKline.writeRow(candle, to: out)
    case .csv: CandleCSV.write(candle, to: out)
    // Those have answers of their own.
    case .json, .rhlineplot, .binance, .binanceCombined: break
    }
  }
}
