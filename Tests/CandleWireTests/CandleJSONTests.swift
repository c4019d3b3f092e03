import CandleCore
import CandleWire
import Testing

@Suite struct CandleJSONTests {
  private func json(_ candle: Candle, keys: [String] = [], values: [Double]? = nil) -> String {
    written { out in
      if let values {
        values.withUnsafeBufferPointer {
          CandleJSON.write(candle, symbol: "BTCUSDT", timeframe: .M1, keys: IndicatorKeys(keys), values: $0, to: out)
        }
      } else {
        CandleJSON.write(candle, symbol: "BTCUSDT", timeframe: .M1, keys: IndicatorKeys(keys), values: nil, to: out)
      }
    }
  }

  @Test func theCandleObjectOfTheContract() {
    #expect(
      json(exampleCandle, keys: ["ma5", "ma10"], values: [36501.1, .nan])
        == #"{"symbol":"BTCUSDT","timeframe":"M1","open_time":1700000040000,"close_time":1700000099999,"#
        + #""open":36500.25,"high":36510,"low":36499.5,"close":36505.75,"volume":12.345,"turnover":450658.31,"#
        + #""taker_buy_volume":null,"ticks":482,"state":"closed","revision":0,"settled_by":"tick","origin":"ticks","#
        + #""complete":true,"version":90212,"indicators":{"ma5":36501.1,"ma10":null}}"#)
  }

  @Test func onAFormingCandleWhatSettlesIsNull() {
    var candle = exampleCandle
    candle.settlement = nil
    candle.complete = false
    #expect(
      json(candle).hasSuffix(
        #""ticks":482,"state":"forming","revision":null,"settled_by":null,"origin":"ticks","complete":false,"version":null}"#
      ))
  }

  @Test func aCorrectedCandleHasItsRevision() {
    var candle = exampleCandle
    candle.settlement = Settlement(revision: 3, settledBy: .clock, version: 7)
    #expect(
      json(candle).hasSuffix(
        #""state":"corrected","revision":3,"settled_by":"clock","origin":"ticks","complete":true,"version":7}"#))
  }

  @Test func aFlatCandleHasZerosAndNoSide() {
    let candle = Candle(
      openTime: 0, content: .flat(at: "5.50"), origin: .flat, complete: true,
      settlement: Settlement(revision: 0, settledBy: .clock, version: 1))
    #expect(
      json(candle).contains(
        #""open":5.5,"high":5.5,"low":5.5,"close":5.5,"volume":0,"turnover":0,"taker_buy_volume":null,"ticks":0,"#))
    #expect(json(candle).contains(#""origin":"flat""#))
  }

  @Test func whatAHistorySourceDoesNotHaveIsNull() {
    var candle = exampleCandle
    candle.origin = .history
    candle.content.ticks = nil
    candle.content.turnover = nil
    candle.content.takerBuyVolume = FixedSum("1.20")
    #expect(json(candle).contains(#""turnover":null,"taker_buy_volume":1.2,"ticks":null,"#))
    #expect(json(candle).contains(#""origin":"history""#))
  }

  @Test func noFloatDust() {
    var candle = exampleCandle
    candle.content.close = "0.1"
    var sum = FixedSum.zero
    for _ in 0..<3 { _ = sum.add("0.1") }
    candle.content.volume = sum
    candle.content.turnover = FixedSum("12123500811184481.00")
    let text = json(candle)
    #expect(text.contains(#""close":0.1,"volume":0.3,"turnover":12123500811184481,"#))
  }

  @Test func itIsAlwaysValidJSON() {
    for values in [nil, [], [Double.infinity], [1, 2]] as [[Double]?] {
      #expect(JSONValue(parsing: json(exampleCandle, keys: ["ma5", "ma10"], values: values)) != nil)
    }
  }
}
