import CandleCore
import CandleFeeds

/// 2023-11-14T22:14:00Z, a boundary of M1 but of nothing longer.
let minute: Milliseconds = 1_700_000_040_000
let always: Range<Milliseconds> = 0..<Milliseconds.max

/// Reads the body of an HTTP answer.
func read(
  _ format: HistoryFormat, _ body: String, timeframe: Timeframe = .M1, asked: Range<Milliseconds> = always,
  symbol: String? = nil
) -> Result<HistoryAnswer, HistoryError> {
  Array(body.utf8).withUnsafeBytes {
    HistoryBody.parse($0, format: format, timeframe: timeframe, asked: asked, symbol: symbol)
  }
}

/// Reads a file.
func read(
  file format: HistoryFileFormat, _ body: String, timeframe: Timeframe = .M1, asked: Range<Milliseconds> = always,
  symbol: String? = nil
) -> Result<HistoryAnswer, HistoryError> {
  Array(body.utf8).withUnsafeBytes {
    HistoryBody.parse(file: $0, format: format, timeframe: timeframe, asked: asked, symbol: symbol)
  }
}

extension Result where Success == HistoryAnswer, Failure == HistoryError {
  var error: HistoryError? { if case .failure(let error) = self { error } else { nil } }
}

extension FixedSum: ExpressibleByStringLiteral {
  /// Of up to 18 digits.
  public init(stringLiteral text: String) { self.init(Fixed(stringLiteral: text)) }
}

/// The row that the golden bodies hold at `minute`, in what all formats can say.
let plainRow = HistoryRow(
  openTime: minute, open: "36500.25", high: "36510", low: "36499.5", close: "36505.75", volume: "12.345")

/// One row in every format that has one, as a whole body.
let goldenBodies: [(format: HistoryFormat, body: String)] = [
  (.zxkline, #"["1700000040,36505.75,36500.25,36510,36499.5,12.345","1700000100,2,1,3,0.5,7"]"#),
  (
    .candled,
    #"{"symbol":"BTCUSDT","timeframe":"M1","candles":[{"symbol":"BTCUSDT","timeframe":"M1","open_time":1700000040000,"close_time":1700000099999,"open":36500.25,"high":36510,"low":36499.5,"close":36505.75,"volume":12.345,"turnover":450658.31,"taker_buy_volume":null,"ticks":482,"state":"closed","revision":0,"settled_by":"tick","origin":"ticks","complete":true,"version":90212,"indicators":{"ma5":36501.1,"ma10":null}}],"next":1700000100000}"#
  ),
  (
    .binance,
    #"[[1700000040000,"36500.25","36510.00","36499.50","36505.75","12.34500000",1700000099999,"450658.31000000",482,"6.10000000","222683.0","0"]]"#
  ),
]
