import CandleCore
import CandleWire
import Testing

@Suite struct TopicTests {
  private func topic(_ text: String) -> Topic? {
    Topic(text, timeframes: [.M1, .M5]) { !$0.isEmpty && !$0.contains(" ") }
  }

  @Test(arguments: ["candle.M1.BTCUSDT", "closed.*.ETHUSDT", "closed.M1.*", "candle.*.*", "candle.M5.A.B:C/D-E_F"])
  func namesRoundTrip(name: String) { #expect(topic(name)?.name == name) }

  @Test func symbolsMayHoldPoints() { #expect(topic("candle.M1.BRK.B")?.symbol == "BRK.B") }

  @Test(arguments: [
    "", "candle", "candle.M1", "candle.M1.", "candle..BTC", ".M1.BTC", "Candle.M1.BTC", "candles.M1.BTC",
    "candle.m1.BTC",
    "candle.M15.BTC", "candle.M2.BTC", "candle.M1.B C", "candle M1 BTC", "*.M1.BTC", " candle.M1.BTC",
  ])
  func whatHasNotTheFormIsNone(name: String) { #expect(topic(name) == nil) }

  @Test func aStarMatchesAny() {
    #expect(topic("candle.*.BTC")!.matches(.M1, "BTC") && topic("candle.*.BTC")!.matches(.M5, "BTC"))
    #expect(!topic("candle.*.BTC")!.matches(.M1, "ETH"))
    #expect(topic("candle.M1.*")!.matches(.M1, "ETH") && !topic("candle.M1.*")!.matches(.M5, "ETH"))
    #expect(!topic("candle.M1.BTC")!.matches(.M1, "btc"), "case is kept")
  }
}
