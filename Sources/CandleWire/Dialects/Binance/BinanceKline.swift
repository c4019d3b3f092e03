import CandleCore

/// Binance's kline as an event of the stream and as a row of `/api/v3/klines`. Source: its spot API documentation.
public enum BinanceKline {
  /// `{"e":"kline","E":…,"s":"BTCUSDT","k":{…}}`; `f` and `L` are −1, since candles do not keep trade ids.
  static func writeEvent(_ message: borrowing CandleMessage, to out: ByteWriter) {
    let candle = message.candle
    let content = candle.content
    out.write("{\"e\":\"kline\",\"E\":")
    out.write(message.time)
    out.write(",\"s\":\"")
    BinanceName.writeSymbol(message.symbol, to: out)
    out.write("\",\"k\":{\"t\":")
    out.write(candle.openTime)
    out.write(",\"T\":")
    out.write(candle.openTime + message.timeframe.interval - 1)
    out.write(",\"s\":\"")
    BinanceName.writeSymbol(message.symbol, to: out)
    out.write("\",\"i\":\"")
    out.write(BinanceName.interval(message.timeframe))
    out.write("\",\"f\":-1,\"L\":-1,\"o\":\"")
    out.write(content.open)
    out.write("\",\"c\":\"")
    out.write(content.close)
    out.write("\",\"h\":\"")
    out.write(content.high)
    out.write("\",\"l\":\"")
    out.write(content.low)
    out.write("\",\"v\":\"")
    out.write(content.volume)
    out.write("\",\"n\":")
    out.write(content.ticks ?? 0)
    out.write(candle.settlement == nil ? ",\"x\":false,\"q\":\"" : ",\"x\":true,\"q\":\"")
    out.write(content.turnover ?? .zero)
    out.write("\",\"V\":\"")
    out.write(content.takerBuyVolume ?? .zero)
    out.write("\",\"Q\":\"")
    writeTakerBuyTurnover(content, to: out)
    out.write("\",\"B\":\"0\"}}")
  }

  /// The same as an event of `/stream`: with the name of its stream around it.
  static func writeCombined(_ message: borrowing CandleMessage, to out: ByteWriter) {
    out.write("{\"stream\":\"")
    BinanceName.writeStream(message.symbol, message.timeframe, to: out)
    out.write("\",\"data\":")
    writeEvent(message, to: out)
    out.write("}")
  }

  /// An array of 12: open time, open, high, low, close, volume, close time, turnover, ticks, volume and turnover of the
  /// ticks whose taker bought, "0".
  public static func writeRow(_ candle: Candle, _ timeframe: Timeframe, to out: ByteWriter) {
    let content = candle.content
    out.write("[")
    out.write(candle.openTime)
    out.write(",\"")
    for price in [content.open, content.high, content.low, content.close] {
      out.write(price)
      out.write("\",\"")
    }
    out.write(content.volume)
    out.write("\",")
    out.write(candle.openTime + timeframe.interval - 1)
    out.write(",\"")
    out.write(content.turnover ?? .zero)
    out.write("\",")
    out.write(content.ticks ?? 0)
    out.write(",\"")
    out.write(content.takerBuyVolume ?? .zero)
    out.write("\",\"")
    writeTakerBuyTurnover(content, to: out)
    out.write("\",\"0\"]")
  }

  /// Exact where takers bought all or nothing, else the volume that they bought at the candle's mean price: candles keep
  /// the volume only. 0 where the sides are not known.
  private static func writeTakerBuyTurnover(_ content: CandleContent, to out: ByteWriter) {
    guard let bought = content.takerBuyVolume, let turnover = content.turnover, !bought.isZero else {
      return out.write("0")
    }
    let share = Double(bought) / Double(content.volume)
    if share == 1 { return out.write(turnover) }
    out.write(share * Double(turnover))
  }
}
