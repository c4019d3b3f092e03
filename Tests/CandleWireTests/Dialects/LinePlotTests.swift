import CandleCore
import CandleWire
import Testing

@Suite struct LinePlotTests {
  private static let hour: Milliseconds = 3_600_000
  /// 2023-11-14 22:00 UTC.
  private static let start: Milliseconds = 1_699_999_200_000

  private func candle(_ number: Int, _ close: Int64, version: Int64? = 1) -> Candle {
    Candle(
      openTime: Self.start + Int64(number) * Self.hour / 2, content: .flat(at: Fixed(coefficient: close, scale: 1)),
      origin: .ticks, complete: true,
      settlement: version.map { Settlement(revision: 0, settledBy: .tick, version: $0) })
  }

  private func text(_ plot: LinePlot, time: Milliseconds = start) -> String {
    written { plot.write(time: time, to: $0) }
  }

  @Test func segmentsBeginWhereTheDayOrTheHourDoes() {
    let candles = (0..<7).map { candle($0, Int64(100 + $0)) }
    #expect(
      text(LinePlot(candles: candles, limit: 10, segment: .D1))
        == #"{"values":[10,10.1,10.2,10.3,10.4,10.5,10.6],"lineSegmentStartingIndices":[0,4],"#
        + #""occupyingRelativeWidth":0.9166}"#)
    #expect(
      text(LinePlot(candles: candles, limit: 10, segment: .H1)).contains(#""lineSegmentStartingIndices":[0,2,4,6]"#))
  }

  @Test func theWidthIsTheElapsedPartOfTheDay() {
    let plot = LinePlot(limit: 1, segment: .D1)
    let day: Milliseconds = 86_400_000
    for (time, width) in [(Int64(0), "0"), (day / 2, "0.5"), (day - 1, "0.9999"), (day, "0"), (day * 43 / 100, "0.43")]
    {
      #expect(
        text(plot, time: day * 19_000 + time)
          == "{\"values\":[],\"lineSegmentStartingIndices\":[],\"occupyingRelativeWidth\":\(width)}")
    }
  }

  @Test func aNewerStateReplacesAndTheOldestGo() {
    var plot = LinePlot(limit: 3, segment: .D1)
    for number in 0..<2 { plot.take(candle(number, 100)) }
    plot.take(candle(2, 100, version: nil))
    plot.take(candle(2, 111, version: 5))
    #expect(text(plot).hasPrefix(#"{"values":[10,10,11.1],"#))
    plot.take(candle(2, 999, version: 4))
    #expect(text(plot).hasPrefix(#"{"values":[10,10,11.1],"#), "an older state changes nothing")
    plot.take(candle(3, 122))
    #expect(text(plot).hasPrefix(#"{"values":[10,11.1,12.2],"#))
    plot.take(candle(0, 50))
    #expect(text(plot).hasPrefix(#"{"values":[10,11.1,12.2],"#), "what is older than the line is none of it")
    plot.take(candle(1, 77, version: 9))
    #expect(text(plot).hasPrefix(#"{"values":[7.7,11.1,12.2],"#))
  }

  @Test func aFormingCandleThatNeverSettledGoesWithTheNext() {
    var plot = LinePlot(candles: [candle(0, 10), candle(1, 20, version: nil)], limit: 5, segment: .D1)
    plot.take(candle(1, 25, version: nil))
    #expect(text(plot).hasPrefix(#"{"values":[1,2.5],"#))
    plot.take(candle(4, 30, version: nil))
    #expect(text(plot).hasPrefix(#"{"values":[1,3],"#))
  }

  @Test func aCandleBetweenTwoOthersTakesItsPlace() {
    var plot = LinePlot(candles: [candle(0, 10), candle(2, 30)], limit: 5, segment: .D1)
    plot.take(candle(1, 20))
    #expect(text(plot).hasPrefix(#"{"values":[1,2,3],"#))
  }
}
