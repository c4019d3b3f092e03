import CandleCore
import CandleEngine
import CandleWire
import Testing

@Suite struct HubBinanceTests {
  private func life(corrections: Bool = false, topics: Int = 1_000) -> HubLife {
    let life = HubLife(topics: topics)
    life.hub.seriesName = { $0.uppercased() }
    life.hub.connect(1, format: CandleFormat(.binance), corrections: corrections)
    return life
  }

  private func ask(_ life: HubLife, _ method: String, _ id: Int, _ streams: String...) -> JSONValue? {
    life.say(
      1, "{\"method\":\"\(method)\",\"params\":[\(streams.map { "\"\($0)\"" }.joined(separator: ","))],\"id\":\(id)}")
    life.answerAll()
    return life.messages(1).last
  }

  private func answer(_ text: String) -> JSONValue? { JSONValue(parsing: text) }

  @Test func streamsComeAndGo() {
    let life = life()
    #expect(ask(life, "SUBSCRIBE", 1, "a@kline_1m", "b@kline_5m") == answer(#"{"result":null,"id":1}"#))
    #expect(ask(life, "SUBSCRIBE", 2, "a@kline_1m") == answer(#"{"result":null,"id":2}"#))
    #expect(
      ask(life, "LIST_SUBSCRIPTIONS", 3) == answer(#"{"result":["a@kline_1m","b@kline_5m"],"id":3}"#))
    life.close("A", .M1, 1)
    life.close("B", .M1, 1)
    #expect(life.messages(1).map { $0["s"]?.string } == ["A"])
    #expect(ask(life, "UNSUBSCRIBE", 4, "a@kline_1m") == answer(#"{"result":null,"id":4}"#))
    life.close("A", .M1, 2)
    #expect(life.messages(1).isEmpty)
  }

  @Test(arguments: [true, false])
  func aCorrectionIsNoSecondCloseUnlessAskedFor(corrections: Bool) {
    let life = life(corrections: corrections)
    _ = ask(life, "SUBSCRIBE", 1, "a@kline_1m")
    life.close("A", .M1, 1)
    life.close("A", .M1, 1, revision: 1)
    life.forming("A", .M1, 2)
    let closes = life.messages(1).map { $0["k"]!["c"]!.string! + ($0["k"]!["x"] == .bool(true) ? " closed" : "") }
    #expect(closes == (corrections ? ["100 closed", "101 closed", "200"] : ["100 closed", "200"]))
  }

  @Test func theLimitOfTopicsHoldsHereToo() {
    let life = life(topics: 1)
    #expect(ask(life, "SUBSCRIBE", 1, "a@kline_1m", "b@kline_1m")?["error"]?["code"]?.integer == 2)
    #expect(ask(life, "LIST_SUBSCRIPTIONS", 2)?["result"] == .array([]))
    #expect(life.hub.counters.badRequests == 1)
  }

  @Test func ourOwnRequestsMeanNothingHere() {
    let life = life()
    life.say(1, #"{"op":"ping"}"#)
    #expect(life.messages(1).last?["error"]?["code"]?.integer == 2)
  }
}
