import CandleCore
import Testing

@Suite struct TimeframeTests {
  @Test func weeksStartOnMonday() {
    // 2024-01-01 was a Monday.
    #expect(Timeframe.W1.openTime(of: 1_704_067_200_000) == 1_704_067_200_000)
    #expect(Timeframe.W1.openTime(of: 1_704_067_199_999) == 1_704_067_200_000 - 604_800_000)
  }

  @Test func aMomentOnTheBoundaryOpensTheNewCandle() {
    #expect(Timeframe.M1.openTime(of: 120_000) == 120_000)
    #expect(Timeframe.M1.openTime(of: 119_999) == 60_000)
    #expect(Timeframe.M5.nextBoundary(after: 300_000) == 600_000)
  }

  @Test func namesRoundTrip() {
    for timeframe in Timeframe.allCases { #expect(Timeframe(timeframe.name) == timeframe) }
    #expect(Timeframe("M2") == nil)
    #expect(Timeframe.M3.divides(.M15) && !Timeframe.M3.divides(.M5) && Timeframe.D1.divides(.W1))
  }

  @Test func everyBoundaryIsAMultipleOfTheIntervalSinceTheEpoch() {
    for timeframe in Timeframe.allCases where timeframe != .W1 {
      for time: Milliseconds in [0, 1, -1, 1_700_000_123_456, -1_700_000_123_456] {
        let open = timeframe.openTime(of: time)
        #expect(open % timeframe.interval == 0 && open <= time && time < open + timeframe.interval)
        #expect(
          timeframe.openTime(of: open) == open && timeframe.nextBoundary(after: open) == open + timeframe.interval)
      }
    }
  }

  @Test func timeframesAreInTheOrderOfTheirLength() {
    let intervals = Timeframe.allCases.map(\.interval)
    #expect(intervals == intervals.sorted() && Set(intervals).count == intervals.count)
    #expect(Timeframe.allCases == Timeframe.allCases.sorted())
  }

  @Test func aTimeframeDividesThoseThatAreMadeOfWholeOnesOfIt() {
    for a in Timeframe.allCases {
      for b in Timeframe.allCases {
        // Every boundary of the longer one is a boundary of the shorter one.
        let divides =
          a < b
          && (-20...20).allSatisfy {
            a.openTime(of: b.openTime(of: $0 * b.interval)) == b.openTime(of: $0 * b.interval)
          }
        #expect(a.divides(b) == divides, "\(a) \(b)")
      }
    }
  }
}
