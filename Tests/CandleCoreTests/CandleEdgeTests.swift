import Testing

@testable import CandleCore

@Suite struct CandleEdgeTests {
  private func tick(_ price: Fixed, _ id: UInt64?) -> Tick {
    Tick(time: Timestamp(milliseconds: 1), price: price, id: id.map { .number($0) } ?? .none)
  }

  private func open(_ ticks: [Tick]) -> Fixed {
    var edge = CandleEdge(ticks[0])
    for tick in ticks.dropFirst() { edge.joinOpen(tick) }
    return edge.price
  }

  private func close(_ ticks: [Tick]) -> Fixed {
    var edge = CandleEdge(ticks[0])
    for tick in ticks.dropFirst() { edge.joinClose(tick) }
    return edge.price
  }

  @Test func theSmallestIDOpensAndTheLargestCloses() {
    let ticks = [tick("2", 5), tick("1", 3), tick("3", 9), tick("4", 7)]
    #expect(open(ticks) == "1" && close(ticks) == "3")
  }

  @Test func withoutIDsTheOrderOfArrivalDecides() {
    let ticks = [tick("2", nil), tick("1", nil), tick("3", nil)]
    #expect(open(ticks) == "2" && close(ticks) == "3")
  }

  @Test func oneTickWithoutIDTakesTheOrderFromAll() {
    let ticks = [tick("2", 5), tick("1", 3), tick("9", 9), tick("4", nil), tick("3", 1)]
    #expect(open(ticks) == "2" && close(ticks) == "3")
  }

  @Test func anOpaqueIDGivesNoOrder() {
    let opaque = Tick(time: Timestamp(milliseconds: 1), price: "7", id: TradeID(kind: .opaque, high: 1, low: 1))
    #expect(open([tick("2", 5), opaque]) == "2" && close([tick("2", 5), opaque]) == "7")
    #expect(open([opaque, tick("2", 0)]) == "7" && close([opaque, tick("2", 0)]) == "2")
  }
}
