import CandleCore
import Testing

@testable import CandleWire

@Suite struct StreamRequestTests {
  private func parse(_ text: String) -> Result<StreamRequest, StreamRequest.Refusal> {
    var copy = text
    return copy.withUTF8 {
      StreamRequest.parse(UnsafeRawBufferPointer($0), timeframes: [.M1, .M5], maximumSnapshot: 1_000) {
        !$0.isEmpty && !$0.contains(" ")
      }
    }
  }

  private func topic(_ name: String) -> Topic { Topic(name, timeframes: [.M1, .M5]) { _ in true }! }

  private func code(_ text: String) -> String? {
    if case .failure(let refusal) = parse(text) { refusal.code } else { nil }
  }

  @Test func subscribeToSnapshot() throws {
    let request = try parse(
      #"{"op":"subscribe","id":1,"topics":["candle.M1.BTCUSDT","closed.*.ETHUSDT"],"snapshot":500}"#
    ).get()
    #expect(request.id == .number("1"))
    #expect(
      request.operation
        == .subscribe(topics: [topic("candle.M1.BTCUSDT"), topic("closed.*.ETHUSDT")], start: .snapshot(500)))
  }

  @Test func subscribeSince() throws {
    let request = try parse(
      #"{"op":"subscribe","id":2,"topics":["closed.M1.*"],"since":{"epoch":"7f3c","version":90211}}"#
    ).get()
    #expect(
      request.operation == .subscribe(topics: [topic("closed.M1.*")], start: .since(epoch: "7f3c", version: 90_211)))
  }

  @Test func subscribeFromNowUnsubscribeAndPing() throws {
    #expect(
      try parse(#"{"op":"subscribe","topics":["candle.M1.B"]}"#).get().operation
        == .subscribe(topics: [topic("candle.M1.B")], start: .now))
    #expect(
      try parse(#"{"op":"unsubscribe","topics":["candle.M1.B"]}"#).get().operation
        == .unsubscribe(topics: [topic("candle.M1.B")]))
    #expect(try parse(#"{"op":"ping"}"#).get() == StreamRequest(id: nil, operation: .ping))
  }

  @Test func nullIsAsIfTheKeyWereNotThere() throws {
    for keys in [#","snapshot":null"#, #","since":null"#] {
      #expect(
        try parse("{\"op\":\"subscribe\",\"topics\":[\"candle.M1.B\"]\(keys)}").get().operation
          == .subscribe(topics: [topic("candle.M1.B")], start: .now))
    }
    #expect(
      try parse(#"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":5,"since":null}"#).get().operation
        == .subscribe(topics: [topic("candle.M1.B")], start: .snapshot(5)))
  }

  @Test func aTopicNamedTwiceCountsOnce() throws {
    #expect(
      try parse(#"{"op":"subscribe","topics":["candle.M1.B","candle.M1.B"]}"#).get().operation
        == .subscribe(topics: [topic("candle.M1.B")], start: .now))
  }

  @Test(arguments: [
    "", "x", "[]", "1", "\"subscribe\"", "{", #"{"id":1}"#, #"{"op":1}"#, #"{"op":"nonsense"}"#, #"{"op":"subscribe"}"#,
    #"{"op":"subscribe","topics":[]}"#, #"{"op":"subscribe","topics":"candle.M1.B"}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":5,"since":{"epoch":"e","version":1}}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":-1}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":1001}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":1.5}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"snapshot":"5"}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"since":5}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"since":{"version":1}}"#,
    #"{"op":"subscribe","topics":["candle.M1.B"],"since":{"epoch":"e","version":-1}}"#,
    #"{"op":"unsubscribe","topics":[]}"#,
  ])
  func whatCannotBeUnderstoodIsABadRequest(text: String) { #expect(code(text) == "bad_request") }

  @Test(arguments: [
    #"{"op":"subscribe","topics":["candle.M1.B","candle.M2.B"]}"#, #"{"op":"subscribe","topics":[5]}"#,
    #"{"op":"subscribe","topics":["candle.M15.B"]}"#, #"{"op":"unsubscribe","topics":["nonsense"]}"#,
    #"{"op":"subscribe","topics":["candle.M1.B B"]}"#, #"{"op":"subscribe","topics":[null]}"#,
  ])
  func aBadTopicIsNamed(text: String) { #expect(code(text) == "bad_topic") }

  @Test func theMessageNamesTheTopicAndWhatIsExpected() {
    guard case .failure(let refusal) = parse(#"{"op":"subscribe","id":"a","topics":["candle.M1.B","candle.M2.B"]}"#)
    else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.id == .string("a"))
    #expect(refusal.message == "candle.M2.B: expected candle.TF.SYMBOL or closed.TF.SYMBOL, TF of M1 M5 or *")
  }

  @Test func theIDIsRepeatedAsItCame() throws {
    for id in ["1", "1.50", "\"x\"", "null", "true", "12345678901234567890"] {
      #expect(try parse("{\"op\":\"ping\",\"id\":\(id)}").get().id == JSONValue(parsing: id))
    }
    #expect(try parse(#"{"op":"ping","id":[1]}"#).get().id == nil, "a list is no id")
  }
}
