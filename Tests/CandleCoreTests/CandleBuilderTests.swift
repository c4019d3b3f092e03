import CandleTestSupport
import Testing

@testable import CandleCore

@Suite struct CandleBuilderTests {
  private func tick(
    _ nanoseconds: Int64, _ price: Fixed, _ volume: Fixed = "1", id: UInt64? = nil, side: TakerSide = .unknown
  ) -> Tick {
    Tick(
      time: Timestamp(nanoseconds: nanoseconds), price: price, volume: volume, id: id.map { .number($0) } ?? .none,
      takerSide: side)
  }

  private func fold(_ ticks: [Tick]) -> CandleContent {
    var builder = CandleBuilder.empty
    for tick in ticks { builder.add(tick, turnover: FixedSum.product(tick.price, tick.volume)) }
    return builder.content
  }

  @Test func firstAndLastByEventTimeNotByArrival() {
    let content = fold([tick(2, "2", "0.5"), tick(3, "1"), tick(1, "3", "0.25")])
    #expect(content.open == "3" && content.high == "3" && content.low == "1" && content.close == "1")
    #expect(content.volume.description == "1.75" && content.turnover?.description == "2.75" && content.ticks == 3)
  }

  @Test func fractionsOfAMillisecondKeepTheOrder() {
    let content = fold([tick(1_000_001, "2"), tick(1_000_000, "1"), tick(1_999_999, "3"), tick(1_500_000, "4")])
    #expect(content.open == "1" && content.close == "3")
  }

  @Test func arrivalOrderNeverChangesTheResultWhereTimesDiffer() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<200 {
      let ticks = (0..<random.int(1...12)).map { index in
        tick(
          Int64(index) * 7, Fixed(coefficient: random.int64(1...99), scale: UInt8(random.int(0...9))),
          Fixed(coefficient: random.int64(0...99), scale: UInt8(random.int(0...18))),
          side: random.pick([.buy, .sell]))
      }
      let expected = fold(ticks)
      #expect(fold(ticks.shuffled(using: &random)) == expected)
    }
  }

  @Test func arrivalOrderNeverChangesTheResultAtEqualTimesWithIDs() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<200 {
      let ticks = (0..<random.int(2...8)).map {
        tick(Int64($0 / 3), Fixed(coefficient: random.int64(1...99), scale: 0), id: UInt64($0 + 9))
      }
      let content = fold(ticks.shuffled(using: &random))
      #expect(content == fold(ticks) && content.open == ticks.first!.price && content.close == ticks.last!.price)
    }
  }

  @Test func idsOpenAndCloseWhereTradesOfOneMillisecondCameReversed() {
    let content = fold([tick(5, "101", id: 311_126), tick(5, "100", id: 311_112)])
    #expect(content.open == "100" && content.close == "101")
  }

  @Test func equalTimesWithoutIDsGoByArrival() {
    let content = fold([tick(5, "1"), tick(5, "2"), tick(5, "3")])
    #expect(content.open == "1" && content.close == "3")
  }

  @Test func oneTickWithoutIDAtTheInstantTakesTheOrderFromItsIDs() {
    let content = fold([
      tick(5, "2", id: 9), tick(5, "1", id: 3), tick(5, "4"), tick(6, "7", id: 2), tick(6, "8", id: 1),
    ])
    #expect(content.open == "2")
    #expect(content.close == "7", "the other instant keeps its order")
  }

  @Test func turnoverThatDoesNotFitIsNullAndStaysNull() {
    let wide: Fixed = "123456789012.123456"
    var builder = CandleBuilder.empty
    for time in 0..<3 {
      let tick = tick(Int64(time), "0.000000000000000001", "0.000000000000000001")
      builder.add(tick, turnover: FixedSum.product(tick.price, tick.volume))
    }
    #expect(builder.content.turnover?.description == "0.000000000000000000000000000000000003")
    builder.add(tick(3, wide, "1"), turnover: FixedSum.product(wide, "1"))
    builder.add(tick(4, "1", "1"), turnover: FixedSum.product("1", "1"))
    #expect(builder.content.turnover == nil)
    #expect(builder.content.volume.description == "2.000000000000000003" && builder.content.ticks == 5)
  }

  @Test func aVolumeThatWouldNotFitIsSeenBeforehand() {
    var builder = CandleBuilder.empty
    let smallest = tick(0, "1", "0.000000000000000001")
    builder.add(smallest, turnover: .zero)
    let largest = tick(1, "1", "999999999999999999")
    var count = 0
    while builder.fits(largest), count < 1_000 {
      builder.add(largest, turnover: .zero)
      count += 1
    }
    #expect(count == 170)
    #expect(builder.content.volume.description == "169999999999999999830.000000000000000001")
    #expect(builder.fits(smallest))
  }

  @Test func takerBuyVolumeNeedsTheSideOfEveryTick() {
    #expect(fold([tick(1, "1", "2", side: .buy), tick(2, "1", "3", side: .sell)]).takerBuyVolume?.description == "2")
    #expect(fold([tick(1, "1", "2", side: .sell)]).takerBuyVolume == .zero)
    #expect(fold([tick(1, "1", "2", side: .buy), tick(2, "1", "3")]).takerBuyVolume == nil)
    #expect(fold([tick(1, "1", "2"), tick(2, "1", "3", side: .buy)]).takerBuyVolume == nil)
  }

  @Test func aTickWithoutVolumeCounts() {
    let content = fold([tick(1, "5", "0")])
    #expect(content.ticks == 1 && content.volume.isZero && content.turnover == .zero)
  }

  @Test func clearedItBeginsAnew() {
    var builder = CandleBuilder.empty
    builder.add(tick(1, "5", "7", side: .buy), turnover: "35".sum)
    builder.clear()
    #expect(builder.isEmpty)
    builder.add(tick(9, "2", "1"), turnover: "2".sum)
    #expect(builder.content == fold([tick(9, "2", "1")]))
  }
}

extension String {
  fileprivate var sum: FixedSum { FixedSum(Fixed(self)!) }
}
