import CandleCore
import CandleWire

/// The address of a request to a history source.
public enum HistoryRequest {
  /// - Parameters:
  ///   - base: `http://` or `https://`; a query that it has stays in front.
  ///   - symbol: in the source's spelling.
  ///   - asked: open times in Unix milliseconds, the end exclusive.
  ///   - limit: the most rows the answer may have; nil = what the source does by itself (binance: 1000).
  /// - Returns: nil if nothing is asked for, or the source has no candles of that length.
  public static func url(
    _ format: HistoryFormat, base: String, symbol: String, timeframe: Timeframe, asked: Range<Milliseconds>,
    limit: Int? = nil
  ) -> String? {
    guard !asked.isEmpty else { return nil }
    if let query = venueQuery(format, symbol: symbol, timeframe: timeframe, asked: asked, limit: limit) {
      return query.isEmpty ? nil : prefix(filled(base, format, symbol: symbol)) + query
    }
    var url = prefix(base) + "symbol=\(encoded(symbol))"
    switch format {
    case .zxkline, .candled:
      url += "&timeframe=\(timeframe.name)&from=\(asked.lowerBound)&to=\(asked.upperBound)"
      if let limit { url += "&limit=\(min(max(limit, 1), 10_000))" }
    default:
      guard let interval = binanceInterval(timeframe) else { return nil }
      // Both ends are inclusive there.
      url += "&interval=\(interval)&startTime=\(asked.lowerBound)&endTime=\(asked.upperBound - 1)"
      url += "&limit=\(min(max(limit ?? 1_000, 1), 1_000))"
    }
    return url
  }

  /// Binance's name of a timeframe; nil where it has none.
  public static func binanceInterval(_ timeframe: Timeframe) -> String? {
    switch timeframe {
    case .S5, .S15, .S30: nil
    default: BinanceName.interval(timeframe)
    }
  }

  /// The base up to where the first parameter goes. A fragment is never sent.
  static func prefix(_ base: String) -> String {
    let parts = base.prefix { $0 != "#" }.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var url = String(parts[0])
    // `http://host?…` has no path, and some servers refuse that.
    if url.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 2 { url += "/" }
    url += "?"
    guard parts.count > 1, !parts[1].isEmpty else { return url }
    return url + parts[1] + (parts[1].hasSuffix("&") ? "" : "&")
  }

  /// Percent-encoded but for the unreserved characters of RFC 3986.
  static func encoded(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
