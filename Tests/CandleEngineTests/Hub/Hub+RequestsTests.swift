import CandleCore
import CandleEngine
import CandleWire
import Testing

@Suite struct HubRequestsTests {
  @Test func theAnswerNamesTopicsEpochVersionAndConvention() {
    let life = HubLife(version: 90_240)
    life.connect(1)
    life.say(1, #"{"op":"subscribe","id":1,"topics":["candle.M1.BTCUSDT","closed.*.ETHUSDT"]}"#)
    let answer = life.messages(1)[0]
    #expect(answer["type"]?.string == "subscribed" && answer["id"] == .number("1"))
    #expect(answer["topics"] == .array([.string("candle.M1.BTCUSDT"), .string("closed.*.ETHUSDT")]))
    #expect(answer["epoch"]?.string == HubLife.epoch && answer["version"]?.integer == 90_240)
    #expect(answer["convention"]?.string == "tdx")
  }

  @Test(arguments: [
    ("nonsense", "bad_request"), ("[]", "bad_request"), (#"{"op":"subscribe","topics":[]}"#, "bad_request"),
    (#"{"op":"subscribe","topics":["candle.M1.A"],"snapshot":1,"since":{"epoch":"7f3c","version":0}}"#, "bad_request"),
    (#"{"op":"subscribe","topics":["candle.M15.A"]}"#, "bad_topic"),
    (#"{"op":"subscribe","topics":["candle.M1.A","candle.M1.-A"]}"#, "bad_topic"),
    (#"{"op":"subscribe","topics":["candle.M1.A"],"since":{"epoch":"other","version":0}}"#, "unknown_epoch"),
    (#"{"op":"subscribe","topics":["candle.M1.A"],"since":{"epoch":"7f3c","version":1}}"#, "bad_request"),
    (#"{"op":"subscribe","topics":["candle.M1.A","candle.M1.B","candle.M1.C"]}"#, "too_many_topics"),
  ])
  func aRefusedRequestChangesNothing(text: String, code: String) {
    let life = HubLife(topics: 2)
    life.connect(1)
    life.say(1, text)
    #expect(life.lines(1) == ["error \(code)"])
    life.close("A", .M1, 1)
    life.close("B", .M1, 1)
    #expect(life.lines(1).isEmpty && life.closed.isEmpty, "all topics or none, and the connection stays open")
    #expect(life.hub.counters.badRequests == 1)
  }

  @Test func whoRunsTheDaemonIsToldOfEachLimitWithWhatWasWanted() {
    let life = HubLife(maxBacklog: 2_000, topics: 2)
    life.connect(1)
    life.connect(2)
    life.say(1, #"{"op":"subscribe","topics":["candle.M1.A"]}"#)
    life.say(1, #"{"op":"subscribe","topics":["candle.M1.B","candle.M1.C"]}"#)
    life.say(1, #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":1001}"#)
    // Neither is asked for too much.
    life.say(1, #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":-1}"#)
    life.say(1, #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":"x"}"#)
    #expect(life.reached == ["1 topics 3/2", "1 snapshot 1001/1000"])
    #expect(life.hub.counters.topicLimits == 1 && life.hub.counters.snapshotLimits == 1)
    while life.closed[2] == nil { life.say(2, #"{"op":"ping","id":"a name of some length"}"#) }
    let last = life.reached.last?.split(separator: "/")
    #expect(last?.first?.hasPrefix("2 backlog 20") == true && last?.last == "2000" && life.reached.count == 3)
  }

  @Test func pingIsAnsweredWithTheServersTime() {
    let life = HubLife()
    life.connect(1)
    life.say(1, #"{"op":"ping","id":"x"}"#)
    #expect(life.messages(1) == [.object([("type", .string("pong")), ("id", .string("x")), ("time", .number("42"))])])
  }

  @Test func anUnsubscribedTopicIsSilent() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A", "candle.M1.B"])
    life.say(1, #"{"op":"unsubscribe","topics":["candle.M1.A","candle.M5.C"]}"#)
    life.close("A", .M1, 1)
    life.close("B", .M1, 1)
    #expect(life.lines(1) == ["subscribed", "unsubscribed", "closed candle.M1.B 1 v2"])
    #expect(life.hub.formingInterest(in: "A") == 0 && life.hub.formingInterest(in: "B") == 0b01)
  }

  @Test func theSameTopicTwiceIsOneTopic() {
    let life = HubLife(topics: 1)
    life.subscribe(1, ["candle.M1.A"])
    life.subscribe(1, ["candle.M1.A"])
    life.close("A", .M1, 1)
    #expect(life.lines(1) == ["subscribed", "subscribed", "closed candle.M1.A 1 v1"])
  }

  @Test func aSecondSubscriptionAddsToTheFirst() {
    let life = HubLife()
    life.subscribe(1, ["candle.M1.A"])
    life.close("A", .M1, 1)
    life.subscribe(1, ["candle.M1.B"])
    life.close("A", .M1, 2)
    life.close("B", .M1, 2)
    #expect(
      life.lines(1) == [
        "subscribed", "closed candle.M1.A 1 v1", "subscribed", "closed candle.M1.A 2 v2", "closed candle.M1.B 2 v3",
      ])
  }

  @Test func aRequestOfSomebodyUnknownIsIgnored() {
    let life = HubLife()
    life.say(9, #"{"op":"ping"}"#)
    #expect(life.messages(9).isEmpty)
  }

  @Test func whoeverDisconnectsIsForgotten() {
    let life = HubLife()
    life.subscribe(1, ["candle.*.*"])
    life.hub.disconnect(1)
    life.close("A", .M1, 1)
    #expect(life.hub.readerCount == 0 && life.hub.backlog == 0 && life.hub.formingInterest(in: "A") == 0)
  }

  @Test func theIndicatorsOfEveryTopicAreWarmedBeforeItsFirstMessage() {
    let life = HubLife()
    life.connect(1)
    life.say(1, life.request(["candle.M1.A"]))
    life.say(1, life.request(["candle.M1.B"]))
    var warmed: Set<String> = []
    while !life.waiting.isEmpty {
      let effect = life.waiting.removeFirst()
      if case .warm(_, let topics) = effect { warmed.formUnion(topics.map(\.name)) }
      life.answer(effect)
    }
    #expect(warmed.contains("candle.M1.A"))
    // The second request came while the first was being carried out.
    #expect(warmed.contains("candle.M1.B"))
  }
}
