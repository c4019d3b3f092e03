import CandleCore
import Testing

@testable import CandleWire

@Suite struct BinanceRequestTests {
  private func parse(_ text: String) -> Result<BinanceRequest, BinanceRequest.Refusal> {
    var copy = text
    return copy.withUTF8 { bytes in
      BinanceRequest.parse(UnsafeRawBufferPointer(bytes), timeframes: [.M1, .M5]) { $0 == "btcusdt" ? "BTC/USDT" : $0 }
    }
  }

  private let topics = [
    Topic(kind: .candle, timeframe: .M1, symbol: "BTC/USDT"), Topic(kind: .candle, timeframe: .M5, symbol: "ethusdt"),
  ]

  @Test func methodsAreReadWithTheirStreams() {
    let streams = #"["btcusdt@kline_1m","ethusdt@kline_5m","btcusdt@kline_1m"]"#
    #expect(
      parse("{\"method\":\"SUBSCRIBE\",\"params\":\(streams),\"id\":1}")
        == .success(BinanceRequest(id: .number("1"), operation: .subscribe(topics))))
    #expect(
      parse("{\"id\":\"a\",\"params\":\(streams),\"method\":\"UNSUBSCRIBE\"}")
        == .success(BinanceRequest(id: .string("a"), operation: .unsubscribe(topics))))
    #expect(parse(#"{"method":"LIST_SUBSCRIPTIONS"}"#) == .success(BinanceRequest(id: .null, operation: .list)))
  }

  @Test(arguments: [
    ("", 3), ("[]", 3), ("{}", 2), (#"{"method":"DANCE","id":1}"#, 2), (#"{"method":"SUBSCRIBE","id":1}"#, 2),
    (#"{"method":"SUBSCRIBE","params":[1],"id":1}"#, 2), (#"{"method":"SUBSCRIBE","params":["a@trade"],"id":1}"#, 2),
    (#"{"method":"SUBSCRIBE","params":["a@kline_1m","a@kline_3m"],"id":1}"#, 2),
  ])
  func whatIsWrongHasACode(text: String, code: Int) {
    guard case .failure(let refusal) = parse(text) else {
      Issue.record("\(text) was taken")
      return
    }
    #expect(refusal.code == code && !refusal.message.isEmpty)
  }

  @Test func theAddressNamesStreamsAndMayNameNone() {
    func named(_ streams: String) -> [Topic] {
      BinanceRequest.topics(streams: streams, timeframes: [.M1, .M5]) { $0 == "btcusdt" ? "BTC/USDT" : $0 }
    }
    #expect(named("btcusdt@kline_1m/ethusdt@kline_5m/btcusdt@kline_1m") == topics)
    #expect(named("0") == [] && named("") == [] && named("btcusdt@trade/ethusdt@kline_5m") == [topics[1]])
  }

  @Test func answersRepeatTheID() {
    #expect(BinanceAnswer.done(.number("1")).text == #"{"result":null,"id":1}"#)
    #expect(
      BinanceAnswer.list(topics, .string("x")).text == #"{"result":["btcusdt@kline_1m","ethusdt@kline_5m"],"id":"x"}"#)
    #expect(
      BinanceAnswer.refused(BinanceRequest.Refusal(id: .null, code: 2, message: "no")).text
        == #"{"error":{"code":2,"msg":"no"},"id":null}"#)
  }
}
