import CandleTestSupport

// usage: candled-simulate COUNT [FIRST]
// Lives through COUNT random lives of the engine from seed FIRST on (0), and ends with 1 at the first that goes wrong.

let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
let count = arguments.first ?? 1_000
let first = arguments.dropFirst().first ?? 0
var ticks = 0
var updates = 0
var restarts = 0
var fills = 0
for seed in first..<first + count {
  var simulation = Simulation(seed: seed)
  do {
    try simulation.run()
  } catch {
    fatalError("\(error); replay it with: candled-simulate 1 \(seed)")
  }
  ticks += simulation.acceptedCount
  updates += simulation.updateCount
  restarts += simulation.restartCount
  fills += simulation.fillCount
  if (seed - first + 1) % 10_000 == 0 {
    print("\(seed - first + 1) lives: \(ticks) ticks, \(updates) candles, \(restarts) restarts, \(fills) filled")
  }
}
print(
  "simulated \(count) lives: \(ticks) ticks accepted, \(updates) candles settled or corrected, "
    + "\(restarts) restarts, \(fills) filled from history")
