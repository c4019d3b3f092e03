import CandleCore

/// How Binance spells symbols and intervals. Source: its spot API documentation.
public enum BinanceName {
  private static func isMark(_ byte: UInt8) -> Bool { "/-_:.".utf8.contains(byte) }

  /// A symbol without what separates its assets, in upper case: `BTC/USDT` is `BTCUSDT`.
  public static func symbol(_ name: some StringProtocol) -> String {
    String(decoding: name.utf8.filter { !isMark($0) }.map(uppercased), as: UTF8.self)
  }

  static func writeSymbol(_ name: String, isLower: Bool = false, to out: ByteWriter) {
    for byte in name.utf8 where !isMark(byte) { out.write(byte: isLower ? lowercased(byte) : uppercased(byte)) }
  }

  private static func uppercased(_ byte: UInt8) -> UInt8 { (97...122).contains(byte) ? byte - 32 : byte }
  private static func lowercased(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }

  /// `1m` and so on; Binance itself has no 5, 15 and 30 seconds.
  public static func interval(_ timeframe: Timeframe) -> String {
    switch timeframe {
    case .S1: "1s"
    case .S5: "5s"
    case .S15: "15s"
    case .S30: "30s"
    case .M1: "1m"
    case .M3: "3m"
    case .M5: "5m"
    case .M15: "15m"
    case .M30: "30m"
    case .H1: "1h"
    case .H2: "2h"
    case .H4: "4h"
    case .H6: "6h"
    case .H8: "8h"
    case .H12: "12h"
    case .D1: "1d"
    case .W1: "1w"
    }
  }

  public static func timeframe(_ interval: some StringProtocol) -> Timeframe? {
    Timeframe.allCases.first { self.interval($0) == interval }
  }

  /// `btcusdt@kline_1m`.
  public static func stream(_ symbol: String, _ timeframe: Timeframe) -> String {
    let out = ByteWriter(capacity: 64)
    writeStream(symbol, timeframe, to: out)
    return out.string
  }

  static func writeStream(_ symbol: String, _ timeframe: Timeframe, to out: ByteWriter) {
    writeSymbol(symbol, isLower: true, to: out)
    out.write("@kline_")
    out.write(interval(timeframe))
  }

  /// Symbol (as it was written) and timeframe of a kline stream; nil for any other stream.
  public static func parse(stream: some StringProtocol) -> (symbol: String, timeframe: Timeframe)? {
    let parts = stream.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[1].hasPrefix("kline_"),
      let timeframe = timeframe(parts[1].dropFirst(6))
    else { return nil }
    return (String(parts[0]), timeframe)
  }
}
