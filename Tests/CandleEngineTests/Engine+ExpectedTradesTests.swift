import CandleCore
import CandleEngine
import Testing

/// A venue that numbers its trades without holes says which the newest is (rule 8).
@Suite struct EngineExpectedTradesTests {
  private let engine = Engine(EngineConfiguration(rules: SettlementRules(timeframes: [.M1])))
  private var instant = Instant(monotonic: 1_000_000_000, wall: 1_700_000_045_000)

  init() {
    _ = engine.intern("A")
    engine.sourceUp(SourceID(1), symbols: [0], at: instant)
  }

  private func trade(_ id: UInt64, venue: UInt32 = 9) {
    let tick = Tick(symbol: 0, time: Timestamp(milliseconds: instant.wall), price: "5", volume: "1", id: .number(id))
    _ = withUnsafePointer(to: tick) {
      engine.ingest(UnsafeBufferPointer(start: $0, count: 1), venue: venue, contiguous: true, at: instant)
    }
  }

  private func expect(_ id: UInt64, venue: UInt32 = 9) {
    engine.expectTrades(through: id, of: 0, venue: venue, time: instant.wall, at: instant)
  }

  private mutating func pass(_ milliseconds: Milliseconds) {
    instant.monotonic += milliseconds * 1_000_000
    instant.wall += milliseconds
    engine.tick(at: instant)
  }

  @Test mutating func whatDoesNotComeIsMissedAfterTheGrace() {
    trade(10)
    expect(12)
    pass(900)
    #expect(engine.counters.missedTrades == 0)
    pass(200)
    #expect(engine.counters.missedTrades == 2)
    trade(13)
    pass(2_000)
    #expect(engine.counters.missedTrades == 2, "the next trade goes on behind the hole")
  }

  @Test mutating func whatComesWithinTheGraceIsNotMissed() {
    trade(10)
    expect(12)
    trade(12)
    trade(11)
    pass(2_000)
    #expect(engine.counters.missedTrades == 0)
  }

  @Test mutating func whatIsKnownAlreadyOrOfAnotherVenueSaysNothing() {
    expect(5)
    trade(10)
    expect(10)
    expect(9)
    expect(99, venue: 8)
    pass(2_000)
    #expect(engine.counters.missedTrades == 0)
  }

  @Test mutating func sayingItTwiceIsOneHole() {
    trade(10)
    expect(11)
    pass(500)
    expect(12)
    pass(2_000)
    #expect(engine.counters.missedTrades == 2)
  }
}
