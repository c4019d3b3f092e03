import CandleCore
import CandleFeeds
import Testing

@Suite struct HistoryRequestTests {
  private func url(
    _ format: HistoryFormat, _ base: String = "http://h/p", symbol: String = "BTCUSDT", timeframe: Timeframe = .M1,
    to: Milliseconds = 180_000, limit: Int? = nil
  ) -> String? {
    HistoryRequest.url(
      format, base: base, symbol: symbol, timeframe: timeframe, asked: 60_000..<to, limit: limit)
  }

  @Test func zxklineAndCandledAreAskedAsTheContractSays() {
    for format in [HistoryFormat.zxkline, .candled] {
      #expect(url(format) == "http://h/p?symbol=BTCUSDT&timeframe=M1&from=60000&to=180000")
      #expect(url(format, limit: 0) == "http://h/p?symbol=BTCUSDT&timeframe=M1&from=60000&to=180000&limit=1")
    }
  }

  @Test func binanceHasTheEndInside() {
    #expect(
      url(.binance) == "http://h/p?symbol=BTCUSDT&interval=1m&startTime=60000&endTime=179999&limit=1000")
    #expect(url(.binance, limit: 5_000)?.hasSuffix("&limit=1000") == true)
    #expect(url(.binance, limit: 10)?.hasSuffix("&limit=10") == true)
  }

  @Test func binancesNamesOfTheTimeframes() {
    let names = Timeframe.allCases.map { HistoryRequest.binanceInterval($0) }
    #expect(
      names == [
        "1s", nil, nil, nil, "1m", "3m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d", "1w",
      ])
    #expect(url(.binance, timeframe: .S5) == nil)
    #expect(url(.zxkline, timeframe: .S5) != nil)
  }

  @Test(arguments: [
    ("http://h", "http://h/?"), ("https://h:1/", "https://h:1/?"), ("http://h/p?", "http://h/p?"),
    ("http://h/p?a=b", "http://h/p?a=b&"), ("http://h/p?a=/&", "http://h/p?a=/&"), ("http://h?a=/x", "http://h/?a=/x&"),
    ("http://h/p?a=b#c?d", "http://h/p?a=b&"), ("http://h/p#", "http://h/p?"),
  ])
  func theQueryOfTheBaseStays(base: String, start: String) {
    #expect(url(.zxkline, base)?.hasPrefix(start + "symbol=BTCUSDT&") == true)
  }

  @Test func symbolsArePercentEncoded() {
    #expect(url(.candled, symbol: "BTC/USD:x._-~ é&")?.contains("symbol=BTC%2FUSD%3Ax._-~%20%C3%A9%26&") == true)
  }

  @Test func nothingIsAskedForNothing() {
    #expect(url(.candled, to: 60_000) == nil)
  }
}
