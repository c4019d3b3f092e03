import CandleWire
import Testing

@Suite struct QueryParametersTests {
  @Test(arguments: [
    ("symbol=BTCUSDT", "BTCUSDT"), ("a=1&symbol=x&b", "x"), ("symbol=", ""), ("symbol", ""), ("symbol=a=b", "a=b"),
    ("symbol=BTC%2FUSD", "BTC/USD"), ("symbol=BTC%2fUSD", "BTC/USD"), ("symbol=a+b", "a b"), ("symbol=a%2Bb", "a+b"),
    ("symbol=%C3%A9", "é"), ("symbol=1&symbol=2", "1"), ("&&symbol=x&", "x"), ("s%79mbol=x", "x"),
    ("symbol=%", "%"), ("symbol=%4", "%4"), ("symbol=%zz", "%zz"), ("symbol=100%25", "100%"), ("symbol=%26%3D", "&="),
  ])
  func valuesAreDecoded(query: String, value: String) { #expect(QueryParameters(query)["symbol"] == value) }

  @Test(arguments: ["", "&", "Symbol=x", "=x", "symbo=l"])
  func whatIsNotThereIsNil(query: String) { #expect(QueryParameters(query)["symbol"] == nil) }

  @Test func bytesThatAreNoUTF8NeverTrap() { #expect(QueryParameters("symbol=%ff%fe")["symbol"] != nil) }
}
