import CandleCore
import Testing

@testable import CandleWire

@Suite struct StreamParametersTests {
  private func parse(_ query: String) throws(RequestError) -> StreamParameters {
    try StreamParameters.parse(
      QueryParameters(query), timeframes: [.M1, .M5], maximumSnapshot: 100, maximumTopics: 2,
      isSymbol: { !$0.isEmpty && !$0.contains(" ") }, zone: { _ in nil })
  }

  @Test func anAddressWithoutParametersIsTheProtocolItself() throws {
    let plain = try parse("token=x")
    #expect(plain == StreamParameters(format: .json, topics: [], corrections: false, snapshot: nil))
  }

  @Test func anAddressMayAskForAll() throws {
    let wanted = try parse(
      "format=rhlineplot&topic=candle.M1.BTCUSDT&topic=closed.*.ETH%2FUSD&topic=candle.M1.BTCUSDT&corrections=1&limit=7"
        + "&snapshot=0&segment=H1")
    #expect(wanted.topics.map(\.name) == ["candle.M1.BTCUSDT", "closed.*.ETH/USD"])
    #expect(wanted.corrections && wanted.snapshot == 0)
    #expect(wanted.format.kind == .rhlineplot && wanted.format.points == 7 && wanted.format.segment == .H1)
  }

  @Test(arguments: [
    "format=xml", "topic=candle.M15.A", "topic=", "topic=A", "corrections=yes", "limit=0", "limit=101", "snapshot=-1",
    "topic=candle.M1.A&topic=candle.M1.B&topic=candle.M1.C",
  ])
  func nonsenseIsRefused(query: String) {
    #expect { try parse(query) } throws: { ($0 as? RequestError)?.status == 400 }
  }
}
