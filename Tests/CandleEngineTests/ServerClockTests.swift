import CandleCore
import CandleTestSupport
import Testing

@testable import CandleEngine

@Suite struct ServerClockTests {
  /// A machine whose two clocks are moved by hand.
  private struct Machine {
    var clock: ServerClock
    var instant = Instant(monotonic: 7_000_000, wall: 1_000_000)

    init(_ source: ServerClock.Source = .system) { clock = ServerClock(source: source) }

    /// - Returns: the jump of the reading.
    @discardableResult
    mutating func pass(_ milliseconds: Milliseconds, wall: Milliseconds? = nil) -> ServerClock.Jump? {
      instant.monotonic += milliseconds * 1_000_000
      instant.wall += wall ?? milliseconds
      return clock.read(instant)
    }
  }

  @Test func beforeTheFirstReadingThereIsNoTime() {
    #expect(ServerClock(source: .system).now == nil)
    #expect(ServerClock(source: .system).monotonic(of: 5) == nil)
  }

  @Test func theFirstReadingIsTakenAtOnce() {
    var machine = Machine()
    let jump = machine.pass(0)
    #expect(jump == nil && machine.clock.now == 1_000_000 && machine.clock.steps == 0)
  }

  @Test func timePassesWithTheMonotonicClock() {
    var machine = Machine()
    machine.pass(0)
    machine.pass(1_234)
    #expect(machine.clock.now == 1_001_234)
    #expect(machine.clock.monotonic(of: 1_002_234) == machine.instant.monotonic + 1_000_000_000)
  }

  @Test(arguments: [500, 1_000, -500, -1_000] as [Milliseconds])
  func aDifferenceOfUpToASecondIsSlewed(difference: Milliseconds) {
    var machine = Machine()
    machine.pass(0)
    let jump = machine.pass(100, wall: 100 + difference)
    #expect(jump == nil && machine.clock.steps == 0)
    #expect((machine.clock.now! - 1_000_100).magnitude <= 100, "no jump to \(difference)")
    var last = machine.clock.now!
    for _ in 0..<1_000 {
      machine.pass(50)
      #expect(machine.clock.now! >= last)
      last = machine.clock.now!
    }
    #expect((last - machine.instant.wall).magnitude <= 1)
  }

  @Test func aStepForwardIsTakenAtOnceAndIsAJump() {
    var machine = Machine()
    machine.pass(0)
    machine.pass(100)
    let jump = machine.pass(100, wall: 5_100)
    #expect(jump == ServerClock.Jump(from: 1_000_100, to: 1_005_200))
    #expect(machine.clock.now == 1_005_200 && machine.clock.steps == 1)
  }

  @Test func aStepBackStandsTheClockStillUntilItIsReached() {
    var machine = Machine()
    machine.pass(0)
    let jump = machine.pass(100, wall: -4_900)
    #expect(jump == nil && machine.clock.now == 1_000_000 && machine.clock.steps == 1)
    #expect(machine.clock.isStanding)
    machine.pass(3_000)
    #expect(machine.clock.now == 1_000_000)
    // It says when it will have come up.
    #expect(machine.clock.monotonic(of: 1_000_001) == machine.instant.monotonic + 1_901 * 1_000_000)
    machine.pass(1_901)
    #expect(machine.clock.now == 1_000_001 && !machine.clock.isStanding)
    machine.pass(1_000)
    #expect(machine.clock.now == 1_001_001 && machine.clock.steps == 1)
  }

  @Test func aProcessThatStoodStillJumps() {
    var machine = Machine()
    machine.pass(0)
    #expect(machine.pass(60_000) == nil, "not yet")
    let jump = machine.pass(61_000)
    #expect(jump == ServerClock.Jump(from: 1_060_000, to: 1_121_000))
    #expect(machine.clock.steps == 0, "the system clock did not step")
  }

  @Test func itNeverGoesBackWhateverTheSystemClockDoes() {
    for seed in 0..<300 {
      var random = SeededGenerator(seed: UInt64(seed))
      var machine = Machine()
      machine.pass(0)
      var last = machine.clock.now!
      for _ in 0..<200 {
        let elapsed = random.int64(0...2_000)
        let wall = random.chance(1, in: 10) ? elapsed + random.int64(-20_000...20_000) : elapsed + random.int64(-3...3)
        let jump = machine.pass(elapsed, wall: wall)
        #expect(machine.clock.now! >= last, "seed \(seed)")
        if let jump { #expect(jump.from == last && jump.to == machine.clock.now! && jump.to > jump.from) }
        last = machine.clock.now!
      }
    }
  }

  @Test func theOffsetIsServerTimeMinusSystemTime() {
    var machine = Machine()
    #expect(machine.clock.offsetMilliseconds(at: machine.instant) == 0)
    machine.pass(0)
    machine.pass(100, wall: 600)
    let offset = machine.clock.offsetMilliseconds(at: machine.instant)
    #expect(offset >= -500 && offset < -480)
  }

  // MARK: Recorded data

  @Test func withRecordedDataTheNewestEventTimeMovesTheClock() {
    var machine = Machine(.feed)
    machine.pass(100)
    #expect(machine.clock.now == nil)
    machine.clock.observe(50_000, at: machine.instant)
    #expect(machine.clock.now == 50_000)
    machine.pass(700)
    #expect(machine.clock.now == 50_700, "plus the time since it came")
    machine.clock.observe(50_600, at: machine.instant)
    #expect(machine.clock.now == 50_700, "an older one does not")
    let jump = machine.pass(0)
    machine.clock.observe(9_000_000, at: machine.instant)
    #expect(jump == nil && machine.clock.now == 9_000_000)
    #expect(machine.pass(1) == nil, "a jump of the data is time that passed")
  }

  @Test func withRecordedDataTheSystemClockDoesNotMatter() {
    var machine = Machine(.feed)
    machine.clock.observe(50_000, at: machine.instant)
    machine.pass(100, wall: -900_000)
    #expect(machine.clock.now == 50_100 && machine.clock.steps == 0 && !machine.clock.isStanding)
  }

  @Test func anEventTimeDoesNotMoveTheSystemClock() {
    var machine = Machine()
    machine.pass(0)
    machine.clock.observe(9_000_000, at: machine.instant)
    #expect(machine.clock.now == 1_000_000)
  }
}
