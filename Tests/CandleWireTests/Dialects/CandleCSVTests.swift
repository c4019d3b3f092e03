import CandleCore
import CandleWire
import Testing

@Suite struct CandleCSVTests {
  @Test func theHeaderBeginsAsTheContractSays() {
    #expect(written { $0.write(CandleCSV.header) }.hasPrefix("open_time,open,high,low,close,volume,turnover,ticks,"))
  }

  @Test func aLineHasAsManyFieldsAsTheHeader() {
    let header = written { $0.write(CandleCSV.header) }
    var forming = exampleCandle
    forming.settlement = nil
    for candle in [exampleCandle, forming] {
      let line = written { CandleCSV.write(candle, to: $0) }
      #expect(line.split(separator: ",", omittingEmptySubsequences: false).count == header.split(separator: ",").count)
      #expect(line.hasSuffix("\n") && line.filter { $0 == "\n" }.count == 1)
    }
  }

  @Test func digitsAreKeptAndWhatIsNullIsEmpty() {
    #expect(
      written { CandleCSV.write(exampleCandle, to: $0) }
        == "1700000040000,36500.25,36510,36499.5,36505.75,12.345,450658.31,482,,0,tick,ticks,1,90212\n")
    var candle = exampleCandle
    candle.content.turnover = nil
    candle.content.ticks = nil
    candle.content.takerBuyVolume = FixedSum("0.50")
    candle.origin = .history
    candle.complete = false
    candle.settlement = Settlement(revision: 2, settledBy: .history, version: 5)
    #expect(
      written { CandleCSV.write(candle, to: $0) }
        == "1700000040000,36500.25,36510,36499.5,36505.75,12.345,,,0.5,2,history,history,0,5\n")
  }
}
