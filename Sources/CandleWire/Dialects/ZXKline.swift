import CandleCore

/// ZXKLine: rows of a history are texts `timestamp(s),close,open,high,low,volume`; live it takes ticks
/// `timestamp(s),price` and makes its candles itself.
public enum ZXKline {
  /// A row of the history, as a JSON string.
  public static func writeRow(_ candle: Candle, to out: ByteWriter) {
    let content = candle.content
    out.write("\"")
    out.write(candle.openTime.quotient(by: 1_000))
    for price in [content.close, content.open, content.high, content.low] {
      out.write(",")
      out.write(price)
    }
    out.write(",")
    out.write(content.volume)
    out.write("\"")
  }

  /// The newest tick of a forming candle; or, where the clock settled a candle, its end and close, so that the client
  /// settles too.
  ///
  /// A candle that a tick settled needs no message: the tick is one. On `closed.` topics, which have no ticks, each
  /// close is told. A client of ticks has no way to correct.
  static func write(_ message: borrowing CandleMessage, to out: ByteWriter) -> Bool {
    let candle = message.candle
    switch message.type {
    case .forming:
      guard candle.origin != .flat, let time = message.lastTick else { return false }
      out.write(time.quotient(by: 1_000))
    case .closed:
      guard message.kind == .closed || candle.settlement?.settledBy == .clock else { return false }
      out.write((candle.openTime + message.timeframe.interval).quotient(by: 1_000))
    case .corrected:
      return false
    }
    out.write(",")
    out.write(candle.content.close)
    return true
  }
}
