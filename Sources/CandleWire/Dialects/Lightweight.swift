import CandleCore

/// What TradingView's lightweight-charts takes (`setData`, `update`; version 5): times are Unix seconds, prices numbers.
/// Source: its documentation of `CandlestickData`, `SingleValueData` and `UTCTimestamp`.
public enum Lightweight {
  public static func write(_ candle: Candle, to out: ByteWriter) {
    out.write("{\"time\":")
    out.write(candle.openTime.quotient(by: 1_000))
    writePrices(candle.content, to: out)
    out.write(",\"volume\":")
    out.write(candle.content.volume)
    out.write("}")
  }

  /// For a line or an area series.
  public static func writeLine(_ candle: Candle, to out: ByteWriter) {
    out.write("{\"time\":")
    out.write(candle.openTime.quotient(by: 1_000))
    out.write(",\"value\":")
    out.write(candle.content.close)
    out.write("}")
  }

  /// The four prices as members of an object, a comma before each.
  static func writePrices(_ content: CandleContent, to out: ByteWriter) {
    out.write(",\"open\":")
    out.write(content.open)
    out.write(",\"high\":")
    out.write(content.high)
    out.write(",\"low\":")
    out.write(content.low)
    out.write(",\"close\":")
    out.write(content.close)
  }
}
