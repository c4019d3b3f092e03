import CandleCore
import CandleTestSupport
import Testing

@testable import CandleEngine

@Suite struct TradeIDMemoryTests {
  private func opaque(_ text: String) -> TradeID {
    var copy = text
    return copy.withUTF8 { TradeID.scan(UnsafeRawBufferPointer($0)) }
  }

  private func insert(_ id: TradeID, _ now: Milliseconds, _ memory: inout TradeIDMemory) -> Bool {
    memory.insert(id, now: now)
  }

  @Test func anIDIsNewOnce() {
    var memory = TradeIDMemory(period: 100, now: 0)
    let answers = [insert(.number(7), 1, &memory), insert(.number(7), 2, &memory), insert(.number(8), 2, &memory)]
    #expect(answers == [true, false, true])
  }

  @Test func zeroIsAnIDLikeAnyOther() {
    var memory = TradeIDMemory(period: 100, now: 0)
    let answers = [insert(.number(0), 1, &memory), insert(.number(0), 2, &memory), insert(.number(0), 150, &memory)]
    #expect(answers == [true, false, false])
  }

  @Test func anIDIsKnownForAtLeastThePeriod() {
    for first in stride(from: Milliseconds(0), through: 350, by: 7) {
      var memory = TradeIDMemory(period: 100, now: 0)
      let isNew = insert(.number(5), first, &memory)
      // Other trades come all the time, and turn the generations.
      for now in stride(from: first, to: first + 100, by: 3) { _ = insert(.number(UInt64(1_000 + now)), now, &memory) }
      let again = insert(.number(5), first + 100, &memory)
      #expect(isNew && !again, "first seen at \(first)")
    }
  }

  @Test func anIDIsForgottenAfterTwoPeriodsWithoutIt() {
    var memory = TradeIDMemory(period: 100, now: 0)
    _ = insert(.number(5), 0, &memory)
    let isNew = insert(.number(5), 300, &memory)
    #expect(isNew)
  }

  @Test func aTradeSentAgainAndAgainStaysKnownForAsLongAsItCouldBeAccepted() {
    var memory = TradeIDMemory(period: 100, now: 0)
    let isNew = insert(.number(5), 0, &memory)
    let again = stride(from: Milliseconds(1), through: 100, by: 1).map { insert(.number(5), $0, &memory) }
    #expect(isNew && again.allSatisfy { !$0 })
  }

  @Test func manyIDsOfAnyPatternAreAllRemembered() {
    var random = SeededGenerator(seed: 1)
    for step: UInt64 in [1, 2, 64, 4_096, 1 << 20, 1 << 44, 0x9e37_79b9] {
      var memory = TradeIDMemory(period: 1_000, now: 0)
      let start = random.next() >> 20
      let first = (0..<5_000).map { insert(.number(start &+ step &* UInt64($0)), 1, &memory) }
      let second = (0..<5_000).map { insert(.number(start &+ step &* UInt64($0)), 2, &memory) }
      #expect(first.allSatisfy { $0 } && second.allSatisfy { !$0 }, "step \(step)")
    }
  }

  @Test func textsAreRememberedToo() {
    var memory = TradeIDMemory(period: 1_000, now: 0)
    let first = (0..<20_000).map { insert(opaque("b3f1c6b2-\($0)"), 1, &memory) }
    let second = (0..<20_000).map { insert(opaque("b3f1c6b2-\($0)"), 2, &memory) }
    #expect(first.allSatisfy { $0 } && second.allSatisfy { !$0 })
  }
}
