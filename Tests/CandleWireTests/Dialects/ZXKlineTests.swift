import CandleCore
import CandleWire
import Testing

@Suite struct ZXKlineTests {
  private let format = CandleFormat(.zxkline)

  @Test func aHistoryIsTextsWithTheCloseFirst() {
    #expect(
      history(format, [exampleCandle, exampleCandle])
        == #"["1700000040,36505.75,36500.25,36510,36499.5,12.345","1700000040,36505.75,36500.25,36510,36499.5,12.345"]"#
    )
  }

  @Test func theStreamHasTheNewestTick() {
    #expect(message(format, formingCandle, .forming, lastTick: 1_700_000_042_999) == "1700000042,36505.75")
    var flat = formingCandle
    flat.origin = .flat
    #expect(message(format, flat, .forming, lastTick: 1_700_000_042_999) == nil)
  }

  @Test func onlyWhatTheClockSettlesIsTold() {
    var candle = exampleCandle
    #expect(message(format, candle) == nil, "the tick that settled it is told")
    candle.settlement?.settledBy = .clock
    #expect(message(format, candle) == "1700000100,36505.75")
    #expect(message(format, candle, .corrected) == nil)
  }

  @Test func aClosedTopicHasEachClose() {
    #expect(message(format, exampleCandle, .closed, .closed) == "1700000100,36505.75")
  }
}
