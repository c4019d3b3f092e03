import CandleCore

/// The answers of TradingView's Universal Data Feed. Source: its documentation, and what TradingView's own client reads.
public enum UDFAnswer {
  /// Exchange of every symbol here.
  static let exchange: StaticString = "candled"

  public static func configuration(_ timeframes: [Timeframe]) -> [UInt8] {
    let out = ByteWriter(capacity: 512)
    out.write("{\"supports_search\":true,\"supports_group_request\":false,\"supports_marks\":false")
    out.write(",\"supports_timescale_marks\":false,\"supports_time\":true")
    out.write(",\"exchanges\":[{\"value\":\"\",\"name\":\"All\",\"desc\":\"\"}]")
    out.write(",\"symbols_types\":[{\"name\":\"All\",\"value\":\"\"}]")
    writeList(",\"supported_resolutions\":", timeframes.map(UDFResolution.name), to: out)
    out.write("}")
    return out.array
  }

  /// - Parameter digits: decimals of the prices.
  public static func symbol(
    _ name: String, assets: SymbolAssets, digits: SymbolDigits, timeframes: [Timeframe]
  ) -> [UInt8] {
    let out = ByteWriter(capacity: 1_024)
    for (index, key) in ["name", "ticker", "full_name", "description"].enumerated() {
      out.write(index == 0 ? "{\"" : ",\"")
      out.write(key)
      out.write("\":")
      if key == "description", !assets.quote.isEmpty {
        out.writeJSON(string: "\(assets.base) / \(assets.quote)")
      } else {
        out.writeJSON(string: name)
      }
    }
    for key in ["exchange", "listed_exchange", "exchange-traded", "exchange-listed"] {
      out.write(",\"\(key)\":\"")
      out.write(exchange)
      out.write("\"")
    }
    out.write(",\"type\":\"crypto\",\"session\":\"24x7\",\"timezone\":\"Etc/UTC\",\"format\":\"price\",\"minmov\":1")
    out.write(",\"minmovement\":1,\"minmov2\":0,\"pointvalue\":1,\"pricescale\":")
    out.write(PowersOfTen.int64(Int(min(digits.price, 16))))
    out.write(",\"volume_precision\":")
    out.write(Int(digits.volume))
    if !assets.quote.isEmpty {
      out.write(",\"currency_code\":")
      out.writeJSON(string: assets.quote)
    }
    let seconds = timeframes.filter { $0 < .M1 }
    let minutes = timeframes.filter { $0 >= .M1 && $0 < .D1 }
    out.write(minutes.isEmpty ? ",\"has_intraday\":false" : ",\"has_intraday\":true")
    writeList(",\"intraday_multipliers\":", minutes.map { "\($0.interval / 60_000)" }, to: out)
    out.write(seconds.isEmpty ? ",\"has_seconds\":false" : ",\"has_seconds\":true")
    writeList(",\"seconds_multipliers\":", seconds.map { "\($0.interval / 1_000)" }, to: out)
    out.write(timeframes.contains(.D1) ? ",\"has_daily\":true" : ",\"has_daily\":false")
    out.write(timeframes.contains(.W1) ? ",\"has_weekly_and_monthly\":true" : ",\"has_weekly_and_monthly\":false")
    writeList(",\"supported_resolutions\":", timeframes.map(UDFResolution.name), to: out)
    out.write(",\"data_status\":\"streaming\"}")
    return out.array
  }

  public static func found(_ symbols: [(name: String, assets: SymbolAssets)]) -> [UInt8] {
    let out = ByteWriter(capacity: 128 + symbols.count * 160)
    out.write("[")
    for (index, symbol) in symbols.enumerated() {
      out.write(index > 0 ? ",{\"symbol\":" : "{\"symbol\":")
      out.writeJSON(string: symbol.name)
      out.write(",\"full_name\":")
      out.writeJSON(string: symbol.name)
      out.write(",\"description\":")
      let assets = symbol.assets
      out.writeJSON(string: assets.quote.isEmpty ? symbol.name : "\(assets.base) / \(assets.quote)")
      out.write(",\"exchange\":\"")
      out.write(exchange)
      out.write("\",\"ticker\":")
      out.writeJSON(string: symbol.name)
      out.write(",\"type\":\"crypto\"}")
    }
    out.write("]")
    return out.array
  }

  /// - Parameter candles: oldest first.
  public static func history(_ candles: [Candle]) -> [UInt8] {
    let out = ByteWriter(capacity: 256 + candles.count * 80)
    out.write("{\"s\":\"ok\",\"t\":[")
    for index in candles.indices {
      if index > 0 { out.write(",") }
      out.write(candles[index].openTime.quotient(by: 1_000))
    }
    let prices: [(StaticString, KeyPath<CandleContent, Fixed>)] = [
      ("],\"o\":[", \.open), ("],\"h\":[", \.high), ("],\"l\":[", \.low), ("],\"c\":[", \.close),
    ]
    for (key, price) in prices {
      out.write(key)
      for index in candles.indices {
        if index > 0 { out.write(",") }
        out.write(candles[index].content[keyPath: price])
      }
    }
    out.write("],\"v\":[")
    for index in candles.indices {
      if index > 0 { out.write(",") }
      out.write(candles[index].content.volume)
    }
    out.write("]}")
    return out.array
  }

  /// - Parameter next: open time of the newest bar before the range, nil where none is older; Unix milliseconds.
  public static func noData(next: Milliseconds?) -> [UInt8] {
    let out = ByteWriter(capacity: 64)
    out.write("{\"s\":\"no_data\"")
    if let next {
      out.write(",\"nextTime\":")
      out.write(next.quotient(by: 1_000))
    }
    out.write("}")
    return out.array
  }

  private static func writeList(_ key: StaticString, _ texts: [String], to out: ByteWriter) {
    out.write(key)
    out.write("[")
    for (index, text) in texts.enumerated() {
      if index > 0 { out.write(",") }
      out.writeJSON(string: text)
    }
    out.write("]")
  }
}
