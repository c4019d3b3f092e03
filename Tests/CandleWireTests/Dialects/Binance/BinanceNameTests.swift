import CandleCore
import CandleWire
import Testing

@Suite struct BinanceNameTests {
  @Test(arguments: [("BTCUSDT", "BTCUSDT"), ("btc/usdt", "BTCUSDT"), ("A-B_C:D.E", "ABCDE")])
  func symbolsAreWrittenWithoutMarksInUpperCase(name: String, symbol: String) {
    #expect(BinanceName.symbol(name) == symbol)
  }

  @Test(arguments: Timeframe.allCases)
  func everyTimeframeHasAnInterval(timeframe: Timeframe) {
    let stream = BinanceName.stream("BTC/USDT", timeframe)
    #expect(stream == "btcusdt@kline_\(BinanceName.interval(timeframe))")
    let parsed = BinanceName.parse(stream: stream)
    #expect(parsed?.symbol == "btcusdt" && parsed?.timeframe == timeframe)
  }

  @Test(arguments: ["", "0", "btcusdt@trade", "btcusdt@kline_", "btcusdt@kline_1M", "@kline_1m", "a@kline_1m@+08:00"])
  func whatIsNoKlineStreamIsNone(stream: String) { #expect(BinanceName.parse(stream: stream) == nil) }

  @Test func aDirectoryFindsSeriesInAnyCase() {
    var directory = SymbolDirectory()
    for name in ["BTC/USDT", "eth-usd", "BTC-USDT", "SOLUSD"] { directory.add(name) }
    #expect(directory.count == 4)
    #expect(directory.series(of: "btcusdt") == "BTC/USDT", "the first of two that read the same")
    #expect(directory.series(of: "ETHUSD") == "eth-usd" && directory.series(of: "SolUsd") == "SOLUSD")
    #expect(directory.series(of: "X") == nil)
    #expect(directory.leads(to: "BTC/USDT") && !directory.leads(to: "BTC-USDT"))
    directory.add("BTCUSDT")
    #expect(directory.series(of: "btcusdt") == "BTCUSDT", "the one that is written so")
  }

  @Test(arguments: [
    ("BTCUSDT", "BTC", "USDT"), ("BTC/USD", "BTC", "USD"), ("btc-eur", "BTC", "EUR"), ("ETHBTC", "ETH", "BTC"),
    ("ARBFDUSD", "ARB", "FDUSD"), ("USDT", "USDT", ""), ("USDTTRY", "USDT", "TRY"), ("BTCTUSD", "BTC", "TUSD"),
    ("TEST", "TEST", ""),
    ("BTC/USDT:USDT", "BTC", "USDT"), ("dogeusdc", "DOGE", "USDC"),
  ])
  func namesAreSplitAtTheirMarkOrAKnownQuote(name: String, base: String, quote: String) {
    #expect(SymbolAssets(splitting: name) == SymbolAssets(base: base, quote: quote))
  }
}
