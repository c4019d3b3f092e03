import CandleCore
import CandleTestSupport
import Testing

@testable import CandleEngine

@Suite struct PendingQueueTests {
  private func item(_ version: Int64) -> PendingItem {
    .gap(Gap(symbol: 0, from: 0, to: nil, reason: .restart, version: version))
  }

  @Test func emptyItHasNoFirst() {
    #expect(PendingQueue().first == nil && PendingQueue().count == 0)
  }

  @Test func firstInFirstOutHoweverLongItGrows() {
    var random = SeededGenerator(seed: 1)
    var queue = PendingQueue()
    var model: [Int64] = []
    var version: Int64 = 0
    for phase in 0..<12 {
      // Grows far in one phase, shrinks in the next.
      for _ in 0..<4_000 {
        if model.isEmpty || random.chance(phase % 2 == 0 ? 3 : 1, in: 4) {
          version += 1
          queue.append(item(version))
          model.append(version)
        } else {
          #expect(queue.first?.version == model.first)
          queue.removeFirst()
          model.removeFirst()
        }
      }
      #expect(queue.count == model.count)
    }
    while let first = queue.first {
      #expect(first.version == model.removeFirst())
      queue.removeFirst()
    }
    #expect(model.isEmpty && queue.count == 0)
  }
}
