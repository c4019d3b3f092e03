import CandleTestSupport
import Foundation
import Testing

@Suite struct SimulationTests {
  /// CANDLED_SEEDS sets how many lives are simulated, CANDLED_SEED replays one.
  @Test func storedCandlesEqualTheBatchWhateverHappens() throws {
    let environment = ProcessInfo.processInfo.environment
    if let text = environment["CANDLED_SEED"], let seed = UInt64(text) {
      var simulation = Simulation(seed: seed)
      try simulation.run()
      return
    }
    let count = environment["CANDLED_SEEDS"].flatMap(UInt64.init) ?? 1_000
    var ticks = 0
    var updates = 0
    for seed in 0..<count {
      var simulation = Simulation(seed: seed)
      try simulation.run()
      ticks += simulation.acceptedCount
      updates += simulation.updateCount
    }
    print("simulated \(count) lives: \(ticks) ticks accepted, \(updates) candles settled or corrected")
    #expect(ticks > 0 && updates > 0)
  }

  @Test(arguments: [Simulation.Canary.boundaryToOldCandle, .loseLateTicks, .publishBeforeCommit])
  func aBuiltInFaultIsFound(canary: Simulation.Canary) {
    var found = 0
    for seed in 0..<50 {
      var simulation = Simulation(seed: UInt64(seed), canary: canary)
      do { try simulation.run() } catch { found += 1 }
    }
    #expect(found > 0)
  }
}
