import CandleTestSupport
import Testing

@testable import CandleCore

/// A run of ticks in one loop against the same ticks one by one.
@Suite struct SettlerRunTests {
  private struct Outcome: Equatable {
    var updates: ContiguousArray<CandleUpdate>
    var refused: [RefusalReason]
    var lastTick: Milliseconds?
    var forming: [Candle?]
  }

  private func ticks(_ random: inout SeededGenerator) -> [Tick] {
    var time: Int64 = 1_700_000_000_000_000_000
    return (0..<300).map { number in
      time += random.pick([0, 1, 1_000_000, 700_000_000, 20_000_000_000])
      let back = random.chance(1, in: 8) ? random.int64(0...90_000_000_000) : 0
      let ahead = random.chance(1, in: 30) ? Int64(8_000_000_000) : 0
      return Tick(
        symbol: random.chance(1, in: 12) ? 1 : 0, time: Timestamp(nanoseconds: time - back + ahead),
        price: Fixed(coefficient: random.int64(1...999_999_999), scale: UInt8(random.int(0...9))),
        volume: Fixed(coefficient: random.int64(0...999_999_999_999_999_999), scale: UInt8(random.int(0...18))),
        id: random.chance(1, in: 6) ? .number(UInt64(number)) : .none,
        takerSide: random.pick([.unknown, .buy, .sell]))
    }
  }

  private func settle(_ ticks: [Tick], _ rules: SettlementRules, inRuns: Bool, seed: UInt64) -> Outcome {
    var random = SeededGenerator(seed: seed)
    var settler = Settler(symbol: 0, rules: rules)
    var output = SettlementOutput(version: 0)
    var refused: [RefusalReason] = []
    settler.listening.begin(at: 0)
    var index = 0
    while index < ticks.count {
      let end = min(ticks.count, index + random.int(1...40))
      let now = ticks[index..<end].map(\.time.milliseconds).min()! + 3_000
      ticks.withUnsafeBufferPointer { buffer in
        while index < end {
          if inRuns {
            let run = settler.takeForming(buffer.baseAddress! + index, count: end - index, now: now)
            index += run
            if run > 0 { continue }
          }
          defer { index += 1 }
          guard buffer[index].symbol == 0 else { continue }
          if let reason = settler.refusal(of: buffer[index], now: now) {
            refused.append(reason)
          } else {
            settler.take(buffer[index], now: now, into: &output)
          }
        }
      }
      settler.finishFrame(now: now, into: &output)
    }
    let forming = rules.timeframes.indices.map { settler.forming($0) }
    return Outcome(updates: output.updates, refused: refused, lastTick: settler.lastTick, forming: forming)
  }

  @Test(arguments: [[.M1, .M5, .M15], [.M1], [.M3, .M5], [.S5, .M1, .W1]] as [[Timeframe]])
  func runsLeaveWhatTheirTicksLeaveOneByOne(timeframes: [Timeframe]) {
    var settled = 0
    var kinds: Set<RefusalReason> = []
    for seed in 0..<60 {
      var random = SeededGenerator(seed: UInt64(seed))
      let rules = SettlementRules(timeframes: timeframes, maxAhead: random.pick([nil, 5_000]))
      let ticks = ticks(&random)
      let alone = settle(ticks, rules, inRuns: false, seed: UInt64(seed))
      #expect(alone == settle(ticks, rules, inRuns: true, seed: UInt64(seed)), "seed \(seed)")
      settled += alone.updates.count
      kinds.formUnion(alone.refused)
    }
    #expect(settled > 200 && kinds.contains(.tooFarAhead))
  }

  @Test func aRunEndsBeforeTheTickThatSettles() {
    var settler = Settler(symbol: 0, rules: SettlementRules(timeframes: [.M1, .M5], maxAhead: nil))
    var output = SettlementOutput(version: 0)
    let minute: Int64 = 1_700_000_040_000
    let ticks = [0, 10, 59_999, 60_000].map {
      Tick(time: Timestamp(milliseconds: minute + $0), price: "5", volume: "1")
    }
    settler.take(ticks[0], now: minute, into: &output)
    #expect(settler.takeForming(Array(ticks[1...]), count: 3, now: minute) == 2)
    #expect(settler.forming(0)?.content.ticks == 3 && output.updates.isEmpty)
  }

  @Test func beforeTheFirstTickOfACandleThereIsNoRun() {
    var settler = Settler(symbol: 0, rules: SettlementRules())
    let tick = [Tick(time: Timestamp(milliseconds: 1_700_000_040_000), price: "5", volume: "1")]
    #expect(settler.takeForming(tick, count: 1, now: 1_700_000_040_000) == 0)
  }
}
