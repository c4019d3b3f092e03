import CandleCore
import CandleFeeds
import Testing

/// The venues' own candles. Bodies are in the shape of the venues' documentation, with the numbers of `plainRow`.
@Suite struct HistoryVenuesTests {
  private static let bodies: [(format: HistoryFormat, body: String)] = [
    (
      .bybit,
      #"{"retCode":0,"retMsg":"OK","result":{"category":"spot","symbol":"BTCUSDT","list":[["1700000100000","1","3","0.5","2","7","9"],["1700000040000","36500.25","36510.00","36499.50","36505.75","12.345","450658.31"]]},"retExtInfo":{},"time":1}"#
    ),
    (
      .okx,
      #"{"code":"0","msg":"","data":[["1700000100000","1","3","0.5","2","7","7","9","1"],["1700000040000","36500.25","36510","36499.5","36505.75","12.345","12.345","450658.31","1"]]}"#
    ),
    (
      .kraken,
      #"{"error":[],"result":{"XXBTZUSD":[[1700000040,"36500.25","36510.0","36499.5","36505.75","36504.1","12.34500000",482],[1700000100,"1","3","0.5","2","1.5","7",9]],"last":1700000040}}"#
    ),
    (.coinbase, "[[1700000100,0.5,3,1,2,7],[1700000040,36499.5,36510.00,36500.25,36505.75,12.345]]"),
    (
      .bitstamp,
      #"{"data":{"pair":"BTC/USD","ohlc":[{"high":"36510","timestamp":"1700000040","volume":"12.345","low":"36499.5","close":"36505.75","open":"36500.25"},{"high":"3","timestamp":"1700000100","volume":"7","low":"0.5","close":"2","open":"1"}]}}"#
    ),
    (
      .hitbtc,
      #"[{"timestamp":"2023-11-14T22:14:00.000Z","open":"36500.25","close":"36505.75","min":"36499.5","max":"36510","volume":"12.345","volume_quote":"450658.31"},{"timestamp":"2023-11-14T22:15:00.000Z","open":"1","close":"2","min":"0.5","max":"3","volume":"7","volume_quote":"9"}]"#
    ),
    (
      .binanceCOINM,
      #"[[1700000040000,"36500.25","36510.0","36499.5","36505.75","12.345",1700000099999,"0.33",482,"6.1","0.16","0"],[1700000100000,"1","3","0.5","2","7",1700000159999,"9",1,"1","1","0"]]"#
    ),
  ]

  @Test(arguments: bodies) func theRowsOfAVenueAreRead(format: HistoryFormat, body: String) throws {
    let answer = try read(format, body, symbol: "BTC-USDT").get()
    #expect(answer.refusals == [] && answer.rows.map(\.openTime) == [minute, minute + 60_000])
    var row = plainRow
    // What else a venue sends is taken where it means what a candle's field means.
    if [.bybit, .okx, .hitbtc].contains(format) { row.turnover = "450658.31" }
    if [.kraken, .binanceCOINM].contains(format) { row.ticks = 482 }
    if format == .binanceCOINM { row.takerBuyVolume = "6.1" }
    #expect(answer.rows.first == row)
    #expect(answer.rows.last?.close == "2" && answer.rows.last?.high == "3" && answer.rows.last?.low == "0.5")
  }

  @Test(arguments: bodies) func onlyWhatWasAskedForIsTaken(format: HistoryFormat, body: String) throws {
    let answer = try read(format, body, asked: minute..<minute + 60_000, symbol: "BTC-USDT").get()
    #expect(answer.rows.count == 1 && answer.outside == 1)
  }

  @Test(arguments: bodies) func aCutBodyIsAnErrorAndNothingIsTaken(format: HistoryFormat, body: String) {
    let bytes = Array(body.utf8)
    for count in 0..<bytes.count - 1 {
      #expect(read(format, String(decoding: bytes[..<count], as: UTF8.self)).error != nil, "\(count)")
    }
  }

  @Test func aCandleThatOKXHasNotConfirmedIsForming() throws {
    let body = #"{"code":"0","msg":"","data":[["1700000040000","1","1","1","1","1","1","1","0"]]}"#
    let answer = try read(.okx, body, symbol: "BTC-USDT").get()
    #expect(answer.rows == [] && answer.forming == 1)
  }

  @Test func turnoverOfContractsIsNotTheirPrice() throws {
    let body = #"{"code":"0","msg":"","data":[["1700000040000","1","1","1","1","1","1","1","1"]]}"#
    #expect(try read(.okx, body, symbol: "BTC-USDT-SWAP").get().rows[0].turnover == nil)
    #expect(try read(.okx, body).get().rows[0].turnover == nil)
  }

  @Test(arguments: [
    (
      HistoryFormat.bybit, #"{"retCode":10001,"retMsg":"Not supported symbols","result":{}}"#,
      "10001 Not supported symbols"
    ),
    (.okx, #"{"code":"51001","msg":"Instrument ID does not exist","data":[]}"#, "51001 Instrument ID does not exist"),
    (.kraken, #"{"error":["EQuery:Unknown asset pair"]}"#, "EQuery:Unknown asset pair"),
    (.coinbase, #"{"message":"NotFound"}"#, "NotFound"),
    (.hitbtc, #"{"error":{"code":2001,"message":"Symbol not found"}}"#, "2001 Symbol not found"),
  ])
  func whatAVenueSaysOfAnErrorIsHandedOn(format: HistoryFormat, body: String, text: String) {
    #expect(read(format, body).error == .sourceError(text))
  }

  @Test(arguments: [
    (
      HistoryFormat.bybit, "http://h/k?category=spot",
      "http://h/k?category=spot&symbol=BTC%2FUSD&interval=1&start=1700000040000&end=1700000100000&limit=1000"
    ),
    (.okx, "http://h/k", "http://h/k?instId=BTC%2FUSD&bar=1m&before=1700000039999&after=1700000160000&limit=100"),
    (.kraken, "http://h/k", "http://h/k?pair=BTC%2FUSD&interval=1&since=1700000039"),
    (
      .coinbase, "http://h/{symbol}/candles",
      "http://h/BTC%2FUSD/candles?granularity=60&start=2023-11-14T22:14:00Z&end=2023-11-14T22:15:00Z"
    ),
    (
      .bitstamp, "http://h/ohlc/{symbol}/",
      "http://h/ohlc/btc%2Fusd/?step=60&limit=1000&start=1700000040&end=1700000100"
    ),
    (
      .hitbtc, "http://h/{symbol}",
      "http://h/BTC%2FUSD?period=M1&sort=ASC&from=2023-11-14T22:14:00Z&till=2023-11-14T22:15:00Z&limit=1000"
    ),
    (
      .binanceCOINM, "http://h/k",
      "http://h/k?symbol=BTC%2FUSD&interval=1m&startTime=1700000040000&endTime=1700000159999&limit=1000"
    ),
  ])
  func eachVenueIsAskedInItsOwnWay(format: HistoryFormat, base: String, url: String) {
    let asked = minute..<minute + 120_000
    #expect(HistoryRequest.url(format, base: base, symbol: "BTC/USD", timeframe: .M1, asked: asked) == url)
  }

  @Test func aVenueIsNotAskedForALengthItDoesNotHave() {
    for format in [HistoryFormat.bybit, .okx, .kraken, .coinbase, .bitstamp, .hitbtc] {
      let url = HistoryRequest.url(format, base: "http://h/k", symbol: "X", timeframe: .S5, asked: 0..<60_000)
      #expect(url == nil)
    }
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (951_782_400_000, "2000-02-29T00:00:00Z"), (1_709_251_199_999, "2024-02-29T23:59:59Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00Z"), (1_700_000_040_000, "2023-11-14T22:14:00Z"),
  ])
  func momentsAreWrittenAsTheyAreRead(time: Milliseconds, text: String) throws {
    let url = try #require(
      HistoryRequest.url(.coinbase, base: "http://h/k", symbol: "X", timeframe: .M1, asked: time..<time + 1))
    #expect(url.contains("start=\(text)&"))
  }
}
