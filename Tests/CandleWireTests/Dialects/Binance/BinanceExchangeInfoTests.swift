import CandleCore
import CandleWire
import Testing

@Suite struct BinanceExchangeInfoTests {
  @Test func theDigitsAreTheMostThatWereSeen() {
    var digits = SymbolDigits()
    digits.note(exampleCandle.content)
    #expect(digits == SymbolDigits(price: 2, volume: 3))
    digits.note(.flat(at: Fixed(coefficient: 1_500, scale: 3)))
    #expect(digits.price == 2, "zeros at the end are no digits")
    digits.note(.flat(at: "0.00012"))
    #expect(digits == SymbolDigits(price: 5, volume: 3))
  }

  @Test func aSymbolHasAssetsAndFilters() throws {
    let body = BinanceExchangeInfo.encode(
      [
        BinanceExchangeInfo.Symbol(
          name: "btc/usdt", assets: SymbolAssets(base: "BTC", quote: "USDT"), digits: SymbolDigits(price: 2, volume: 0))
      ], time: 5)
    let document = try #require(JSONValue(parsing: String(decoding: body, as: UTF8.self)))
    #expect(document["serverTime"]?.integer == 5 && document["timezone"]?.string == "UTC")
    #expect(document["rateLimits"]?.array != nil && document["exchangeFilters"]?.array != nil)
    let symbol = try #require(document["symbols"]?.array?.first)
    #expect(symbol["symbol"]?.string == "BTCUSDT" && symbol["status"]?.string == "TRADING")
    #expect(symbol["baseAsset"]?.string == "BTC" && symbol["quoteAsset"]?.string == "USDT")
    let filters = try #require(symbol["filters"]?.array)
    #expect(filters.map { $0["filterType"]?.string } == ["PRICE_FILTER", "LOT_SIZE"])
    #expect(filters[0]["tickSize"]?.string == "0.01" && filters[0]["minPrice"]?.string == "0.01")
    #expect(filters[1]["stepSize"]?.string == "1" && filters[1]["minQty"]?.string == "1")
    #expect(filters[0]["maxPrice"]?.string != nil && filters[1]["maxQty"]?.string != nil)
  }
}
