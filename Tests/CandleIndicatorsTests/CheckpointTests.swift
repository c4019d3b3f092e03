import CandleCore
import CandleIndicators
import Testing

@Suite struct CheckpointTests {
  @Test(arguments: IndicatorConvention.allCases) func aRestartIsInvisible(_ convention: IndicatorConvention) throws {
    let candles = try Golden.candles("input/spy_daily.csv")
    let plan = IndicatorPlan(Golden.configuration(convention))
    let whole = Values.batch(candles, plan)
    for stop in [0, 1, 7, 25, 34, 100, 400] {
      let before = Values(IndicatorSet(plan: plan, correctionWindow: 10))
      for candle in candles.prefix(stop) { before.commit(candle) }
      let back = min(before.set.rollBackDepth, 4)
      let after = Values(MetamorphicTests.restarted(before.set, back: back, correctionWindow: 10))
      #expect(after.set.count == stop - back)
      for index in (stop - back)..<candles.count {
        #expect(bits(after.commit(candles[index])) == bits(whole[index]))
      }
      // The candles that were committed since can be rolled back.
      #expect(after.set.rollBack(by: 8))
      #expect(bits(after.commit(candles[candles.count - 8])) == bits(whole[candles.count - 8]))
    }
  }

  @Test func damagedBytesAreRefused() throws {
    let plan = IndicatorPlan(IndicatorConfiguration())
    let values = Values(IndicatorSet(plan: plan))
    for candle in try Golden.candles("input/penny.csv").prefix(50) { values.commit(candle) }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: values.set.checkpointCapacity, alignment: 8)
    defer { bytes.deallocate() }
    let length = try #require(values.set.writeCheckpoint(to: bytes))
    let good = Array(bytes[..<length])
    func restore(_ bytes: [UInt8], _ plan: IndicatorPlan) -> IndicatorSet? {
      bytes.withUnsafeBytes { IndicatorSet(plan: plan, checkpoint: $0) }
    }
    #expect(restore(good, plan) != nil)
    #expect(restore([], plan) == nil)
    #expect(restore(Array(good.dropLast()), plan) == nil)
    #expect(restore(good + [0], plan) == nil)
    #expect(restore(good, IndicatorPlan(IndicatorConfiguration(convention: .talib))) == nil)
    var other = IndicatorConfiguration()
    other.macd?.signal = 8
    #expect(restore(good, IndicatorPlan(other)) == nil)
    // No flipped byte may trap, neither here nor in what follows.
    let candle = CandleContent("2.5")
    for at in good.indices {
      for mask: UInt8 in [0xff, 0x80, 0x01] {
        var damaged = good
        damaged[at] ^= mask
        guard let set = restore(damaged, plan) else { continue }
        let after = Values(set)
        _ = after.preview(candle)
        #expect(after.commit(candle).allSatisfy { $0.isNaN || $0.isFinite })
      }
    }
  }

  @Test func tooLittleRoomIsSaid() {
    let set = IndicatorSet(plan: IndicatorPlan(IndicatorConfiguration()))
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: set.checkpointCapacity - 1, alignment: 8)
    defer { bytes.deallocate() }
    #expect(set.writeCheckpoint(to: bytes) == nil)
    #expect(set.writeCheckpoint(back: 1, to: bytes) == nil)
  }
}
