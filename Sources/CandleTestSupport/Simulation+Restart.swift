import CandleCore
import CandleEngine

/// Processes that are killed, and others that begin on what they left.
extension Simulation {
  /// `kill -9` and a new process: some of what waits for the store gets there, the rest is lost; the journal stays.
  mutating func restart() throws {
    recordListening()
    try drain()
    commit(random.int(0...batches.count))
    batches = []
    // The checks go on from what is in the database.
    checker = database.checker
    checker.crash()
    let alive = [database.alive, journal.last.map(\.serverTime)].compactMap { $0 }.max()
    if let alive {
      for number in symbols.indices where !sources[number].isEmpty { disconnected(number, at: alive) }
    }
    for number in symbols.indices { sources[number] = [] }
    pass(random.int64(0...200_000))
    engine = Engine(configuration, version: database.version)
    instant.monotonic = random.int64(0...1_000_000) * 1_000_003
    try takeUp(alive: alive)
    restartCount += 1
    for number in symbols.indices where random.chance(4, in: 5) { connect(number) }
  }

  /// A process begins on what the database and the journal hold.
  mutating func takeUp(alive: Milliseconds?) throws {
    hasBegunAnew = true
    for number in symbols.indices {
      let name = "SYM\(number)"
      if let history = database.history(of: name, rules: rules) { engine.restore(history) }
      symbols[number] = engine.intern(name)!
      engine.setHistory(hasFills, of: symbols[number])
      seams[number] = SeamQueue(timeframe: rules.shortest, grace: rules.grace)
      for gap in database.unfilledGaps(of: name) { seams[number].add(gap) }
      if let first = database.candles(name, rules.shortest).first, !first.complete {
        seams[number].add(openTime: first.openTime)
      }
    }
    for (sequence, entry) in journal.enumerated() {
      entry.recover(into: engine, isStored: sequence < database.sequence)
    }
    engine.finishRestore(alive: alive, at: instant)
    // What was decided anew is stored before indicators are warmed with what is stored.
    while engine.hasBatch || !batches.isEmpty { try exchangeWithStore() }
    for series in engine.coldSeries(matching: { _, _ in true }) {
      let candles = database.candles(engine.name(of: series.symbol), series.timeframe)
      if !engine.warm(series, with: candles) { throw fail("a series could not be warmed") }
    }
  }
}
