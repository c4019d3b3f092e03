import CandleCore

/// A request for `/api/v3/klines`.
public struct BinanceQuery: Sendable, Equatable {
  public static let defaultLimit = 500
  public static let maximumLimit = 1_000

  /// Of the series.
  public var symbol: String
  public var timeframe: Timeframe
  /// Inclusive, in Unix milliseconds; nil: the newest rows.
  public var start: Milliseconds?
  /// Inclusive.
  public var end: Milliseconds?
  public var limit: Int

  /// - Parameter series: name of the series of a symbol, nil if there is none.
  public static func parse(
    _ parameters: QueryParameters, timeframes: [Timeframe], series: (String) -> String?
  ) throws(BinanceError) -> BinanceQuery {
    func time(_ name: String) throws(BinanceError) -> Milliseconds? {
      guard let text = parameters[name], !text.isEmpty else { return nil }
      guard text.utf8.count <= 20, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
        throw .illegal(name, "^[0-9]{1,20}$")
      }
      return min(Int64(text) ?? .max, 1 << 60)
    }
    guard let symbol = parameters["symbol"], !symbol.isEmpty else { throw .missing("symbol") }
    guard symbol.utf8.count <= 64, symbol.utf8.allSatisfy(isPart) else {
      throw .illegal("symbol", "^[A-Z0-9-_.]{1,20}$")
    }
    guard let interval = parameters["interval"], !interval.isEmpty else { throw .missing("interval") }
    var limit = defaultLimit
    if let text = parameters["limit"], !text.isEmpty {
      guard text.utf8.allSatisfy({ (48...57).contains($0) }) else { throw .illegal("limit", "^[0-9]{1,20}$") }
      limit = min(Int(text) ?? maximumLimit, maximumLimit)
      guard limit > 0 else {
        throw BinanceError(code: -1130, message: "Data sent for parameter 'limit' is not valid.")
      }
    }
    guard let timeframe = BinanceName.timeframe(interval), timeframes.contains(timeframe) else {
      throw .invalidInterval
    }
    guard let name = series(symbol) else { throw .invalidSymbol }
    return BinanceQuery(
      symbol: name, timeframe: timeframe, start: try time("startTime"), end: try time("endTime"), limit: limit)
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "-_.:/".utf8.contains(byte)
  }
}
