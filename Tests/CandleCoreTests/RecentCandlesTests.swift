import CandleTestSupport
import Testing

@testable import CandleCore

@Suite struct RecentCandlesTests {
  private func candle(_ openTime: Milliseconds) -> SettledCandle {
    var candle = SettledCandle.nothing
    candle.openTime = openTime
    return candle
  }

  /// Whatever is done to it, it is what a list would be.
  @Test(arguments: 0..<20) func isAList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var ring = RecentCandles()
    var list: [Milliseconds] = []
    for step in Milliseconds(0)..<400 {
      switch random.next() % 8 {
      case 0..<4:
        ring.append(candle(step))
        list.append(step)
      case 4 where !list.isEmpty:
        let index = Int(random.next() % UInt64(list.count))
        ring[index].openTime = -step
        list[index] = -step
      case 5:
        let index = Int(random.next() % UInt64(list.count + 1))
        ring.insert(candle(step), at: index)
        list.insert(step, at: index)
      case 6 where !list.isEmpty:
        #expect(ring.removeLast().openTime == list.removeLast())
      default:
        let number = Int(random.next() % 4)
        guard number <= list.count else { continue }
        ring.removeFirst(number)
        list.removeFirst(number)
      }
      #expect(ring.map(\.openTime) == list, "seed \(seed), step \(step)")
      #expect(ring.count == list.count && ring.first?.openTime == list.first && ring.last?.openTime == list.last)
    }
  }
}
