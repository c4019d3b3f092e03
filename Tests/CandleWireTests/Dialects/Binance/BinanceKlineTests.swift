import CandleCore
import CandleWire
import Testing

@Suite struct BinanceKlineTests {
  private let event =
    #"{"e":"kline","E":1700000099999,"s":"BTCUSDT","k":{"t":1700000040000,"T":1700000099999,"s":"BTCUSDT","i":"1m","#
    + #""f":-1,"L":-1,"o":"36500.25","c":"36505.75","h":"36510","l":"36499.5","v":"12.345","n":482,"x":true,"#
    + #""q":"450658.31","V":"0","Q":"0","B":"0"}}"#

  @Test func anEventHasAllFields() { #expect(message(CandleFormat(.binance), exampleCandle) == event) }

  @Test func aFormingCandleIsNotClosed() {
    #expect(
      message(CandleFormat(.binance), formingCandle, .forming)
        == event.replacing(#""x":true"#, with: #""x":false"#))
  }

  @Test func aCombinedStreamNamesItself() {
    #expect(
      message(CandleFormat(.binanceCombined), exampleCandle)
        == "{\"stream\":\"btcusdt@kline_1m\",\"data\":\(event)}")
  }

  @Test func aRowHasTwelveFields() {
    #expect(
      written { BinanceKline.writeRow(exampleCandle, .M1, to: $0) }
        == #"[1700000040000,"36500.25","36510","36499.5","36505.75","12.345",1700000099999,"450658.31",482,"0","0","0"]"#
    )
  }

  private func bought(_ volume: FixedSum?, turnover: FixedSum? = FixedSum("450658.31")) -> String {
    var candle = exampleCandle
    candle.content.takerBuyVolume = volume
    candle.content.turnover = turnover
    return String(
      written { BinanceKline.writeRow(candle, .M1, to: $0) }.split(separator: ",")[9...10].joined(separator: " "))
  }

  @Test func whatTakersBoughtIsTold() {
    #expect(bought(FixedSum("12.345")) == #""12.345" "450658.31""#, "all of it, exactly")
    #expect(bought(.zero) == #""0" "0""#)
    #expect(bought(FixedSum("6.1725")) == #""6.1725" "225329.155""#, "half of it, at the mean price")
    #expect(bought(nil) == #""0" "0""# && bought(FixedSum("1"), turnover: nil) == #""1" "0""#)
  }

  @Test func whatAHistorySourceDoesNotTellIsZero() {
    var candle = exampleCandle
    candle.content.ticks = nil
    candle.content.turnover = nil
    #expect(
      written { BinanceKline.writeRow(candle, .M1, to: $0) }.hasSuffix(#",1700000099999,"0",0,"0","0","0"]"#))
  }
}
