import CandleCore
import CandleWire
import Testing

@Suite struct StreamEncoderTests {
  private let encoder = StreamEncoder(keys: IndicatorKeys(["ma5"]))
  private var candleText: String {
    written { out in
      [36501.1].withUnsafeBufferPointer {
        CandleJSON.write(
          exampleCandle, symbol: "BTCUSDT", timeframe: .M1, keys: IndicatorKeys(["ma5"]), values: $0, to: out)
      }
    }
  }
  private let topics = ["candle.M1.BTCUSDT", "closed.*.ETHUSDT"].map { Topic($0, timeframes: [.M1]) { _ in true }! }

  @Test(arguments: [
    (StreamEncoder.MessageType.forming, "forming"), (.closed, "closed"), (.corrected, "corrected"),
  ])
  func aMessageNamesItsTypeAndTopic(type: StreamEncoder.MessageType, name: String) {
    let frame = encoder.candle(type, .candle, exampleCandle, symbol: "BTCUSDT", timeframe: .M1, values: [36501.1])
    #expect(frame.text == "{\"type\":\"\(name)\",\"topic\":\"candle.M1.BTCUSDT\",\"candle\":\(candleText)}")
  }

  @Test func theClosedTopicHasAMessageOfItsOwn() {
    let frame = encoder.candle(.closed, .closed, exampleCandle, symbol: "A", timeframe: .M5, values: [])
    #expect(frame.text.hasPrefix(#"{"type":"closed","topic":"closed.M5.A","candle":{"symbol":"A","timeframe":"M5","#))
  }

  @Test func withoutIndicatorsTheObjectIsEmpty() {
    let frame = encoder.candle(
      .closed, .candle, exampleCandle, symbol: "A", timeframe: .M1, values: UnsafeBufferPointer<Double>?.none)
    #expect(frame.text.hasSuffix(#""indicators":{}}}"#))
  }

  @Test func aSnapshotListsCandlesOldestFirst() {
    var forming = exampleCandle
    forming.openTime += 60_000
    forming.settlement = nil
    let frame = encoder.snapshot(
      .candle, symbol: "BTCUSDT", timeframe: .M1, candles: [(exampleCandle, [36501.1]), (forming, nil)])
    let document = JSONValue(parsing: frame.text)
    #expect(frame.text.hasPrefix("{\"type\":\"snapshot\",\"topic\":\"candle.M1.BTCUSDT\",\"candles\":[\(candleText),{"))
    #expect(document?["candles"]?.array?.map { $0["state"]?.string } == ["closed", "forming"])
    #expect(
      encoder.snapshot(.closed, symbol: "B", timeframe: .M1, candles: []).text
        == #"{"type":"snapshot","topic":"closed.M1.B","candles":[]}"#)
  }

  @Test func aGapIsToldAtBothEnds() {
    var gap = Gap(symbol: 0, from: 1_700_000_000_000, to: nil, reason: .disconnect, version: 90_213)
    var document = JSONValue(parsing: encoder.gap(gap, symbol: "BTCUSDT").text)
    #expect(
      encoder.gap(gap, symbol: "BTCUSDT").text.hasPrefix(
        #"{"type":"gap","symbol":"BTCUSDT","from":1700000000000,"to":null,"reason":"disconnect","#))
    #expect(document?["version"]?.integer == 90_213 && document?["to"] == .null)
    gap.to = 1_700_000_005_000
    gap.reason = .missedTrades
    gap.filled = true
    document = JSONValue(parsing: encoder.gap(gap, symbol: "BTCUSDT").text)
    #expect(document?["to"]?.integer == 1_700_000_005_000 && document?["reason"]?.string == "missed_trades")
    #expect(document?["filled"] == .bool(true))
  }

  @Test func answersRepeatTheID() {
    #expect(
      encoder.subscribed(id: .number("1"), topics: topics, epoch: "7f3c", version: 90_240, convention: "tdx").text
        == #"{"type":"subscribed","id":1,"topics":["candle.M1.BTCUSDT","closed.*.ETHUSDT"],"epoch":"7f3c","#
        + #""version":90240,"convention":"tdx"}"#)
    #expect(
      encoder.unsubscribed(id: .string("x\"y"), topics: [topics[0]]).text
        == #"{"type":"unsubscribed","id":"x\"y","topics":["candle.M1.BTCUSDT"]}"#)
    #expect(encoder.pong(id: nil, time: 5).text == #"{"type":"pong","time":5}"#)
    #expect(encoder.pong(id: .null, time: nil).text == #"{"type":"pong","id":null,"time":null}"#)
    #expect(
      encoder.error(id: .number("1"), code: "bad_topic", message: "a \"b\"").text
        == #"{"type":"error","id":1,"code":"bad_topic","message":"a \"b\""}"#)
  }

  @Test func oneMessageLeavesNothingInTheNext() {
    let first = encoder.pong(id: nil, time: 1)
    let second = encoder.pong(id: nil, time: 2)
    #expect(first.text == #"{"type":"pong","time":1}"# && second.text == #"{"type":"pong","time":2}"#)
  }
}
