import CandleCore
import CandleEngine

/// A life that goes on with a database which a replay has made.
extension Simulation {
  /// Recorded ticks, long enough ago that no late one falls among them.
  mutating func replay() throws {
    let replayer = Replayer(rules: rules, version: database.version)
    let end = instant.wall - rules.correctionWindow - 90_000 - 2 * rules.shortest.interval - random.int64(0...600_000)
    var batch = StoreBatch()
    for number in symbols.indices {
      let symbol = replayer.addSymbol()
      batch.symbols.append(StoredSymbol(id: symbol, name: engine.name(of: symbols[number])))
      if random.chance(1, in: 4) { continue }
      var time = end - random.int64(0...2_000_000)
      while time <= end {
        let tick = recorded(symbol, number, at: time)
        var isRefused = false
        withUnsafePointer(to: tick) {
          replayer.ingest(UnsafeBufferPointer(start: $0, count: 1)) { _, _ in isRefused = true }
        }
        if !isRefused {
          accepted[number].append(tick)
          newest[number] = max(newest[number] ?? .min, time)
          if stretches[number].isEmpty { stretches[number] = [CandleModel.Stretch(from: time, to: time)] }
          stretches[number][0].to = max(stretches[number][0].to, time)
        }
        if hasFills { trades[number].append(tick) }
        time += random.pick([0, 10, 900, 5_000, 70_000, 400_000])
      }
    }
    replayer.finish()
    try replayer.takeUpdates { (update: CandleUpdate) throws(Failure) in batch.updates.append(update) }
    batch.values = ContiguousArray(repeating: nil, count: batch.updates.count)
    batch.version = replayer.output.version
    try checker.store(batch, failing)
    checker.crash()
    database.apply(
      WaitingBatch(batch: batch, sequence: 0, alive: nil, checker: checker), names: symbols.map { engine.name(of: $0) })
  }

  private mutating func recorded(_ symbol: Int32, _ number: Int, at time: Milliseconds) -> Tick {
    Tick(
      symbol: symbol, time: Timestamp(milliseconds: time),
      price: Fixed(coefficient: random.int64(1...500), scale: UInt8(random.int(0...4))),
      volume: Fixed(coefficient: random.int64(0...50), scale: UInt8(random.int(0...8))), id: .none,
      takerSide: random.pick([.buy, .sell]))
  }
}
