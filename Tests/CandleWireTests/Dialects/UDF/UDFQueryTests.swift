import CandleCore
import Testing

@testable import CandleWire

@Suite struct UDFQueryTests {
  private func parse(_ query: String) throws(UDFError) -> UDFQuery {
    try UDFQuery.parse(QueryParameters(query), timeframes: [.M1, .D1]) { $0 == "A" ? "A" : nil }
  }

  @Test func secondsBecomeMilliseconds() throws {
    #expect(
      try parse("symbol=A&resolution=1&from=100&to=200")
        == UDFQuery(symbol: "A", timeframe: .M1, from: 100_000, to: 200_000, countback: nil))
    let query = try parse("symbol=A&resolution=D&from=-5&to=200&countback=300")
    #expect(query.timeframe == .D1 && query.from == -5_000 && query.countback == 300)
  }

  @Test func aCountbackOfNothingIsNone() throws {
    #expect(try parse("symbol=A&resolution=1&from=1&to=2&countback=0").countback == nil)
    #expect(try parse("symbol=A&resolution=1&from=1&to=2&countback=999999").countback == UDFQuery.maximumBars)
  }

  @Test(arguments: [
    "resolution=1", "symbol=B&resolution=1", "symbol=A", "symbol=A&resolution=5", "symbol=A&resolution=1&from=x",
    "symbol=A&resolution=1&to=99999999999999999", "symbol=A&resolution=1&countback=-1",
  ])
  func whatIsWrongIsSaid(query: String) {
    #expect { try parse(query) } throws: { ($0 as? UDFError)?.message.isEmpty == false }
  }
}
