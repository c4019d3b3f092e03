import CandleCore
import CandleTestSupport
import Testing

@Suite struct RangeListTests {
  @Test func stretchesThatTouchBecomeOne() {
    #expect(RangeList([10..<20, 30..<40, 20..<25]).ranges == [10..<25, 30..<40])
    #expect(RangeList([10..<20, 30..<40, 15..<35]).ranges == [10..<40])
    #expect(RangeList([5..<5]).isEmpty)
  }

  @Test func whatIsRemovedLeavesItsSides() {
    var list = RangeList([0..<10, 20..<30, 40..<50])
    list.remove(5..<45)
    #expect(list.ranges == [0..<5, 45..<50] && list.milliseconds == 10)
  }

  @Test func aListEqualsASetOfMoments() {
    for seed in UInt64(0)..<300 {
      var random = SeededGenerator(seed: seed)
      var list = RangeList()
      var moments: Set<Milliseconds> = []
      for _ in 0..<30 {
        let from = random.int64(0...60)
        let range = from..<from + random.int64(0...12)
        if random.chance(2, in: 3) {
          list.insert(range)
          moments.formUnion(range)
        } else {
          list.remove(range)
          moments.subtract(range)
        }
        let asked = random.int64(0...60)..<random.int64(61...80)
        #expect(list.ranges.flatMap(Array.init) == moments.sorted(), "seed \(seed)")
        #expect(list.overlaps(asked) == asked.contains(where: moments.contains), "seed \(seed)")
        #expect(list.contains(asked) == asked.allSatisfy(moments.contains), "seed \(seed)")
        #expect(zip(list.ranges, list.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }, "seed \(seed)")
      }
    }
  }
}
