import CandleCore

/// Candles as comma-separated lines: for spreadsheets, data frames and `candled export`.
public enum CandleCSV {
  public static let header: StaticString =
    "open_time,open,high,low,close,volume,turnover,ticks,taker_buy_volume,revision,settled_by,origin,complete,version\n"

  /// One settled candle and the end of its line; what is null is empty.
  public static func write(_ candle: Candle, to out: ByteWriter) {
    let content = candle.content
    out.write(candle.openTime)
    for price in [content.open, content.high, content.low, content.close] {
      out.write(",")
      out.write(price)
    }
    out.write(",")
    out.write(content.volume)
    out.write(",")
    if let turnover = content.turnover { out.write(turnover) }
    out.write(",")
    if let ticks = content.ticks { out.write(ticks) }
    out.write(",")
    if let bought = content.takerBuyVolume { out.write(bought) }
    out.write(",")
    if let settlement = candle.settlement {
      out.write(Int64(settlement.revision))
      out.write(",")
      out.write(settlement.settledBy.name)
    } else {
      out.write(",")
    }
    out.write(",")
    out.write(candle.origin.name)
    out.write(candle.complete ? ",1," : ",0,")
    if let settlement = candle.settlement { out.write(settlement.version) }
    out.write("\n")
  }
}
