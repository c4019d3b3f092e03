import CandleCore
import CandleWire
import Testing

@Suite struct CandleFormatTests {
  private func parse(_ query: String) throws(RequestError) -> CandleFormat {
    try CandleFormat.parse(QueryParameters(query)) { $0 == "Asia/Shanghai" ? ZoneRule(name: $0) { _ in 28_800 } : nil }
  }

  @Test(arguments: [
    ("", CandleFormat.Kind.json), ("format=json", .json), ("format=lightweight", .lightweight),
    ("format=arincen", .lightweight), ("format=line", .line), ("format=klineview", .klineview),
    ("format=klinecharts", .klinecharts), ("format=zxkline", .zxkline), ("format=rhlineplot", .rhlineplot),
    ("format=csv", .csv),
  ])
  func formatsHaveNames(query: String, kind: CandleFormat.Kind) throws {
    #expect(try parse(query).kind == kind)
  }

  @Test(arguments: [
    "format=xml", "format=binance", "format=binanceCombined", "format=", "tz=Mars", "titles=x", "segment=M1",
  ])
  func whatIsNotKnownIsRefused(query: String) {
    #expect { try parse(query) } throws: { ($0 as? RequestError)?.code == "bad_parameter" }
  }

  @Test func optionsMakeAnotherFormat() throws {
    let plain = try parse("format=klineview")
    #expect(try parse("format=klineview&tz=UTC&titles=name&segment=D1") == plain)
    #expect(try parse("format=klineview&tz=Asia/Shanghai") != plain)
    #expect(try parse("format=klineview&tz=%2B08:00").zone == ZoneRule(fixed: "+8"))
    #expect(try parse("format=klineview&titles=period").titlesArePeriods)
    #expect(try parse("format=rhlineplot&segment=H1").segment == .H1)
  }
}
