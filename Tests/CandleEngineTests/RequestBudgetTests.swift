import CandleEngine
import Testing

@Suite struct RequestBudgetTests {
  private let second: Int64 = 1_000_000_000

  /// Asks `count` times at one instant.
  private func granted(_ budget: inout RequestBudget, _ address: String, at time: Int64, asks count: Int) -> Int {
    var granted = 0
    for _ in 0..<count where budget.wait(address, at: time) == 0 {
      budget.charge(address, at: time)
      granted += 1
    }
    return granted
  }

  @Test func aBurstOfTwoSecondsIsGrantedAndThenTheRate() {
    var budget = RequestBudget(perSecond: 10)
    #expect(granted(&budget, "a", at: 0, asks: 100) == 20)
    #expect(granted(&budget, "a", at: second, asks: 100) == 10)
    #expect(granted(&budget, "a", at: second + second / 10, asks: 100) == 1)
    #expect(granted(&budget, "a", at: 60 * second, asks: 100) == 20, "more than a burst is never saved")
  }

  @Test func anAddressPaysForItselfOnly() {
    var budget = RequestBudget(perSecond: 1)
    #expect(granted(&budget, "a", at: 5, asks: 9) == 2)
    #expect(granted(&budget, "b", at: 5, asks: 9) == 2)
  }

  @Test func afterTheWaitARequestIsGranted() {
    var budget = RequestBudget(perSecond: 4)
    _ = granted(&budget, "a", at: 0, asks: 100)
    let wait = budget.wait("a", at: 0)
    #expect(wait == second / 4)
    #expect(budget.wait("a", at: wait - 1) == 1 && budget.wait("a", at: wait) == 0)
  }

  @Test func zeroIsNoLimit() {
    var budget = RequestBudget(perSecond: 0)
    #expect(granted(&budget, "a", at: 0, asks: 10_000) == 10_000 && budget.count == 0)
  }

  @Test func addressesThatHavePaidAreForgotten() {
    var budget = RequestBudget(perSecond: 100)
    for number in 0..<200_000 { budget.charge("\(number)", at: Int64(number) * 1_000_000) }
    #expect(budget.count <= 1_024)
  }

  @Test func whateverAsksMemoryIsBounded() {
    var budget = RequestBudget(perSecond: 1)
    for number in 0..<200_000 { budget.charge("\(number)", at: 0) }
    #expect(budget.count <= RequestBudget.largest)
  }
}
