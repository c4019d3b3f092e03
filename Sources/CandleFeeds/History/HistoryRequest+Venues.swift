import CandleCore

/// How the venues are asked for their own candles. Each takes the symbol in its own spelling.
extension HistoryRequest {
  /// - Returns: nil for a format that is asked in another way; empty where the venue has no candles of that length.
  static func venueQuery(
    _ format: HistoryFormat, symbol: String, timeframe: Timeframe, asked: Range<Milliseconds>, limit: Int?
  ) -> String? {
    let most = format.candlesPerRequest
    let limit = min(max(limit ?? most, 1), most)
    // The open time of the last candle, where the venue's end is inclusive.
    let last = timeframe.openTime(of: asked.upperBound - 1)
    switch format {
    case .zxkline, .candled, .binance, .binanceCOINM: return nil
    case .bybit:
      guard let interval = bybitInterval(timeframe) else { return "" }
      return
        "symbol=\(encoded(symbol))&interval=\(interval)&start=\(asked.lowerBound)&end=\(last)&limit=\(limit)"
    case .okx:
      guard let bar = okxBar(timeframe) else { return "" }
      // Both ends are exclusive, and named by the direction of paging: `after` is the newer one.
      return
        "instId=\(encoded(symbol))&bar=\(bar)&before=\(asked.lowerBound - 1)&after=\(asked.upperBound)&limit=\(limit)"
    case .kraken:
      guard let minutes = krakenMinutes(timeframe) else { return "" }
      // Candles behind that moment; there is no end.
      return "pair=\(encoded(symbol))&interval=\(minutes)&since=\(asked.lowerBound / 1_000 - 1)"
    case .coinbase:
      guard let seconds = coinbaseSeconds(timeframe) else { return "" }
      return "granularity=\(seconds)&start=\(moment(asked.lowerBound))&end=\(moment(last))"
    case .bitstamp:
      guard let seconds = bitstampSeconds(timeframe) else { return "" }
      return "step=\(seconds)&limit=\(limit)&start=\(asked.lowerBound / 1_000)&end=\(last / 1_000)"
    case .hitbtc:
      guard let period = hitbtcPeriod(timeframe) else { return "" }
      return
        "period=\(period)&sort=ASC&from=\(moment(asked.lowerBound))&till=\(moment(last))&limit=\(limit)"
    }
  }

  /// The base with the symbol in its path, where it says `{symbol}`.
  static func filled(_ base: String, _ format: HistoryFormat, symbol: String) -> String {
    let name = encoded(format == .bitstamp ? symbol.lowercased() : symbol)
    let mark = "{symbol}"
    var rest = base[...]
    var out = ""
    while let start = rest.firstIndex(of: "{") {
      out += rest[..<start]
      rest = rest[start...]
      if rest.hasPrefix(mark) {
        out += name
        rest = rest.dropFirst(mark.count)
      } else {
        out += "{"
        rest = rest.dropFirst()
      }
    }
    return out + rest
  }

  private static func bybitInterval(_ timeframe: Timeframe) -> String? {
    switch timeframe {
    case .M1, .M3, .M5, .M15, .M30, .H1, .H2, .H4, .H6, .H12: "\(timeframe.interval / 60_000)"
    case .D1: "D"
    case .W1: "W"
    default: nil
    }
  }

  /// From six hours on the plain names are of days that begin in Hong Kong.
  private static func okxBar(_ timeframe: Timeframe) -> String? {
    switch timeframe {
    case .S1: "1s"
    case .M1: "1m"
    case .M3: "3m"
    case .M5: "5m"
    case .M15: "15m"
    case .M30: "30m"
    case .H1: "1H"
    case .H2: "2H"
    case .H4: "4H"
    case .H6: "6Hutc"
    case .H12: "12Hutc"
    case .D1: "1Dutc"
    case .W1: "1Wutc"
    default: nil
    }
  }

  /// Its week begins on Thursday.
  private static func krakenMinutes(_ timeframe: Timeframe) -> Int64? {
    switch timeframe {
    case .M1, .M5, .M15, .M30, .H1, .H4, .D1: timeframe.interval / 60_000
    default: nil
    }
  }

  private static func coinbaseSeconds(_ timeframe: Timeframe) -> Int64? {
    switch timeframe {
    case .M1, .M5, .M15, .H1, .H6, .D1: timeframe.interval / 1_000
    default: nil
    }
  }

  private static func bitstampSeconds(_ timeframe: Timeframe) -> Int64? {
    switch timeframe {
    case .M1, .M3, .M5, .M15, .M30, .H1, .H2, .H4, .H6, .H12, .D1: timeframe.interval / 1_000
    default: nil
    }
  }

  private static func hitbtcPeriod(_ timeframe: Timeframe) -> String? {
    switch timeframe {
    case .M1, .M3, .M5, .M15, .M30, .H1, .H4, .D1: timeframe.name
    default: nil
    }
  }

  /// `2023-11-14T22:14:00Z`, whole seconds.
  static func moment(_ time: Milliseconds) -> String {
    let seconds = time / 1_000
    let (days, second) = (seconds / 86_400, seconds % 86_400)
    // Days since 0000-03-01, in eras of 400 years; the year begins in March.
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * month + 2) / 5 + 1
    let year = yearOfEra + era * 400 + (month >= 10 ? 1 : 0)
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return
      "\(year)-\(two(month < 10 ? month + 3 : month - 9))-\(two(day))T\(two(second / 3_600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
  }
}
