import CandleCore
import CandleWire
import Testing

@Suite struct UDFResolutionTests {
  @Test func timeframesAreSpelledAsTradingViewDoes() {
    #expect(
      Timeframe.allCases.map(UDFResolution.name) == [
        "1S", "5S", "15S", "30S", "1", "3", "5", "15", "30", "60", "120", "240", "360", "480", "720", "1D", "1W",
      ])
  }

  @Test(arguments: [("1", Timeframe.M1), ("60", .H1), ("D", .D1), ("1D", .D1), ("W", .W1), ("1W", .W1), ("1S", .S1)])
  func bothSpellingsAreRead(name: String, timeframe: Timeframe) {
    #expect(UDFResolution.timeframe(name, of: Timeframe.allCases) == timeframe)
    #expect(UDFResolution.timeframe(name, of: [.M3]) == nil, "only what is configured")
  }
}
