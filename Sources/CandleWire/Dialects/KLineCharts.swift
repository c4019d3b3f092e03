import CandleCore

/// A `KLineData` of KLineChart (version 10): the time in Unix milliseconds, the values of the indicators by key.
public enum KLineCharts {
  /// - Parameter values: NaN where there is no value, which is written as null; nil leaves all of them out.
  public static func write(
    _ candle: Candle, _ values: UnsafeBufferPointer<Double>?, keys: IndicatorKeys, to out: ByteWriter
  ) {
    out.write("{\"timestamp\":")
    out.write(candle.openTime)
    Lightweight.writePrices(candle.content, to: out)
    out.write(",\"volume\":")
    out.write(candle.content.volume)
    out.write(",\"turnover\":")
    if let turnover = candle.content.turnover { out.write(turnover) } else { out.write("null") }
    if let values, !values.isEmpty, !keys.isEmpty {
      out.write(",")
      keys.write(values, to: out)
    }
    out.write("}")
  }
}
