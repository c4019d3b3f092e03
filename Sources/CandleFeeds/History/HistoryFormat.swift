import CandleCore

/// What a history source over HTTP speaks; the raw value is its name in the configuration.
public enum HistoryFormat: String, Sendable, CaseIterable {
  /// A JSON array of texts `"timestamp(s),close,open,high,low,volume"`.
  case zxkline
  /// The answer of another candled's `/v1/candles`.
  case candled
  /// The answer of Binance's `/api/v3/klines`, and of USD-M futures.
  case binance
  /// The answer of Binance's COIN-M futures: volumes are contracts, what stands for a turnover is coins.
  case binanceCOINM = "binance_coinm"
  /// The answers of other venues' own candles, `docs/venues/`.
  case bybit, okx, kraken, coinbase, bitstamp, hitbtc

  /// The most candles that one request asks for: what a source answers at once.
  public var candlesPerRequest: Int {
    switch self {
    case .zxkline, .candled: 500
    case .binance, .binanceCOINM, .bybit, .bitstamp, .hitbtc: 1_000
    case .okx: 100
    case .kraken: 720
    case .coinbase: 300
    }
  }
}

/// What a file of candles may hold; the raw value is its name on the command line.
public enum HistoryFileFormat: String, Sendable, CaseIterable {
  /// Lines with commas: under a header that names the columns, or `open_time,open,high,low,close,volume`.
  case csv
  /// As over HTTP, or the bare texts one a line.
  case zxkline
  /// As over HTTP, or the fields of a row with commas, one row a line, as Binance's archives have them.
  case binance
  /// candled's candle objects: the answer of `/v1/candles`, an array of them, or one (or one answer) a line.
  case json
}
