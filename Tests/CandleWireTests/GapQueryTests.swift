import CandleWire
import Testing

@Suite struct GapQueryTests {
  private func parse(_ query: String) throws -> GapQuery { try GapQuery.parse(QueryParameters(query)) }

  @Test func withoutParametersItIsTheNewestThousandOfAllSymbols() throws {
    let query = try parse("")
    #expect(query.symbol == nil && query.from == nil && query.to == nil && query.limit == 1_000)
  }

  @Test func aRangeIsOfOneSymbol() throws {
    let query = try parse("symbol=A&from=5&to=9&limit=10000")
    #expect(query.symbol == "A" && query.from == 5 && query.to == 9 && query.limit == 10_000)
    #expect(throws: RequestError.badParameter("from and to are for the gaps of one symbol: symbol is missing")) {
      try parse("from=5")
    }
  }

  @Test(arguments: ["limit=0", "limit=10001", "limit=x", "symbol=A&from=-1", "symbol=A&to=1.5"])
  func whatIsOutOfRangeIsRefused(_ query: String) { #expect(throws: RequestError.self) { try parse(query) } }
}
