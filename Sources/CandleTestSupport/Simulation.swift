import CandleCore
import CandleEngine
import CandleIndicators

/// Drives the engine through a random life in virtual time and holds its outcome against `CandleModel`.
///
/// All is drawn from the seed: symbols, timeframes, rules, ticks and their delays, frames, silences, disconnects,
/// timers, and how late the store acknowledges.
public struct Simulation {
  public struct Failure: Error, CustomStringConvertible {
    public var seed: UInt64
    public var what: String
    public var description: String { "seed \(seed): \(what)" }
  }

  /// A fault that is built in on purpose, to see that the checks bite.
  public enum Canary: Sendable {
    case none
    /// Ticks on the boundary go to the old candle.
    case boundaryToOldCandle
    /// Late ticks are lost.
    case loseLateTicks
    /// The store's acknowledgement is not waited for.
    case publishBeforeCommit
  }

  let seed: UInt64
  let canary: Canary
  var random: SeededGenerator
  var engine: Engine
  let rules: SettlementRules
  let configuration: EngineConfiguration
  /// Whether processes are killed in this life.
  let hasRestarts: Bool
  var instant: Instant
  let start: Milliseconds
  var symbols: [Int32] = []
  var accepted: [[Tick]] = []
  var stretches: [[CandleModel.Stretch]] = []
  /// Sources of each symbol that are up, of two: replicas of one feed.
  var sources: [Set<Int>] = []
  var newest: [Milliseconds?] = []
  var nextID: [UInt64] = []
  var withIDs: [Bool] = []
  /// By symbol; nil where ids have holes.
  var contiguous: [Bool] = []
  /// Some process began on what a database holds.
  var hasBegunAnew = false
  var numbered: [NumberedTrades] = []
  var sent: [[Tick]] = []
  var checker: PublicationChecker
  /// Batches on their way to the store, with what would be lost with them.
  var batches: [WaitingBatch] = []
  var database: SimulatedDatabase
  /// Whether a history source fills what was not heard in this life.
  let hasFills: Bool
  /// All trades of a symbol, also those that nobody heard.
  var trades: [[Tick]] = []
  /// What the source said of intervals of the shortest timeframe.
  var told: [[Milliseconds: [Tick]]] = []
  /// Open times of intervals about which all was known once.
  var known: [Set<Milliseconds>] = []
  var seams: [SeamQueue] = []
  /// Everything that was accepted, in order; a record's place is its sequence number.
  var journal: [JournalEntry] = []
  public private(set) var acceptedCount = 0
  /// Candles that the source filled.
  public internal(set) var fillCount = 0
  public private(set) var updateCount = 0
  /// How often a process was killed and another took over.
  public internal(set) var restartCount = 0

  public init(seed: UInt64, canary: Canary = .none) {
    self.seed = seed
    self.canary = canary
    var random = SeededGenerator(seed: seed)
    let sets: [[Timeframe]] = [
      [.M1, .M5, .M15], [.M1, .M5, .M15], [.M1], [.S1, .S5, .M1], [.M3, .M5, .M15], [.S15, .M1, .M3], [.S30, .M5, .W1],
      [.S5, .S15, .S30, .M1],
    ]
    rules = SettlementRules(
      timeframes: random.pick(sets), grace: random.pick([0, 200, 1_000, 3_000]),
      correctionWindow: random.pick([0, 2_000, 60_000, 60_000, 300_000]),
      emptyCandles: random.pick([.flat, .flat, .none]),
      flatLimit: Int32(random.pick([0, 1, 3, 10, 1_440])), maxAhead: 5_000)
    configuration = EngineConfiguration(
      rules: rules, clock: random.pick([.system, .system, .feed]), formingInterval: random.pick([0, 100, 1_000]),
      indicators: random.chance(1, in: 2) ? IndicatorConfiguration(convention: random.pick([.tdx, .tradingview])) : nil)
    let version = random.int64(0...1_000)
    engine = Engine(configuration, version: version)
    // Anywhere in the week, often right at a boundary.
    start = 1_700_000_000_000 + random.int64(0...700_000) * 1_000 + random.pick([0, 1, 999, 500])
    instant = Instant(monotonic: random.int64(0...1_000_000) * 1_000_003, wall: start)
    hasRestarts = random.chance(1, in: 3) && canary != .publishBeforeCommit
    let knowsSilence = rules.emptyCandles == .flat ? rules.flatLimit == 0 : !hasRestarts
    hasFills = canary == .none && rules.roots.count == 1 && knowsSilence && random.chance(2, in: 3)
    checker = PublicationChecker(rules: rules)
    database = SimulatedDatabase(version: version, checker: checker)
    self.random = random
  }

  var now: Milliseconds? { configuration.clock == .feed ? engine.clock.now : instant.wall }

  public mutating func run() throws {
    for number in 0..<random.int(1...3) {
      symbols.append(engine.intern("SYM\(number)")!)
      accepted.append([])
      stretches.append([])
      sources.append([])
      newest.append(nil)
      nextID.append(random.chance(1, in: 2) ? 1 : 1_000_000)
      withIDs.append(random.chance(1, in: 2))
      contiguous.append(withIDs[number] && canary == .none && random.chance(1, in: 2))
      numbered.append(NumberedTrades())
      sent.append([])
      trades.append([])
      told.append([:])
      known.append([])
      seams.append(SeamQueue(timeframe: rules.shortest, grace: rules.grace))
      engine.setHistory(hasFills, of: symbols[number])
    }
    if canary == .none, configuration.clock == .system, random.chance(1, in: 5) {
      try replay()
      engine = Engine(configuration, version: database.version)
      try takeUp(alive: nil)
    }
    engine.tick(at: instant)
    for number in symbols.indices where random.chance(4, in: 5) { connect(number) }
    for _ in 0..<random.int(20...200) { try step() }
    try finish()
  }

  // MARK: Steps

  private mutating func step() throws {
    switch random.int(0...19) {
    case 0...11: try sendFrame()
    case 12: pass(random.int64(0...90_000))
    case 13: pass(random.int64(0...3_000))
    case 14:
      engine.tick(at: instant)
      if random.chance(1, in: 4) { numbered[random.int(0...symbols.count - 1)].isDeaf = true }
      try missSome()
    case 15: passToBoundary()
    case 16: random.chance(1, in: 3) ? toggle(random.int(0...symbols.count - 1)) : pass(1)
    case 17: if random.chance(1, in: 10) { suspend(random.int64(61_000...4_000_000)) }
    case 18: if hasRestarts, random.chance(1, in: 4) { try restart() }
    case 19: if hasFills { try fillSome() }
    default: break
    }
    if random.chance(1, in: 2) { engine.tick(at: instant) }
    try exchangeWithStore()
    publishForming()
    try drain()
  }

  mutating func pass(_ milliseconds: Milliseconds) {
    // The clock must not take a long silence for a stopped process.
    var left = milliseconds
    while left > 0 {
      let part = min(left, 30_000)
      instant.monotonic += part * 1_000_000
      instant.wall += part
      left -= part
      _ = engine.isClockSettlementDue(at: instant)
    }
  }

  /// The process is stopped for a while; nothing was heard meanwhile.
  private mutating func suspend(_ milliseconds: Milliseconds) {
    guard configuration.clock == .system else { return }
    let before = instant.wall
    instant.monotonic += milliseconds * 1_000_000
    instant.wall += milliseconds
    _ = engine.isClockSettlementDue(at: instant)
    for number in symbols.indices where !sources[number].isEmpty {
      endStretch(number, at: before)
      connected(number, at: instant.wall)
    }
  }

  private mutating func passToBoundary() {
    let timeframe = random.pick(rules.timeframes)
    let boundary = timeframe.nextBoundary(after: instant.wall) + random.pick([-1, 0, 1, rules.grace, rules.grace + 1])
    if boundary - instant.wall > 0, boundary - instant.wall < 1_000_000 { pass(boundary - instant.wall) }
  }

  mutating func connect(_ number: Int) {
    connect(number, source: random.int(0...1))
  }

  private mutating func connect(_ number: Int, source: Int) {
    engine.sourceUp(SourceID(UInt64(2 * number + source)), symbols: [symbols[number]], at: instant)
    sources[number].insert(source)
    // Listened to while either is up.
    if sources[number].count == 1, let now { connected(number, at: now) }
  }

  private mutating func connected(_ number: Int, at now: Milliseconds) {
    stretches[number].append(
      CandleModel.Stretch(from: max(now, stretches[number].last?.to ?? now), to: .max))
  }

  mutating func disconnected(_ number: Int, at now: Milliseconds) {
    endStretch(number, at: now)
    numbered[number].disconnected(at: max(now, newest[number] ?? now))
  }

  private mutating func endStretch(_ number: Int, at now: Milliseconds) {
    guard !stretches[number].isEmpty else { return }
    stretches[number][stretches[number].count - 1].to = max(now, newest[number] ?? now)
  }

  private mutating func toggle(_ number: Int) {
    let source = random.int(0...1)
    guard sources[number].remove(source) != nil else { return connect(number, source: source) }
    engine.sourceDown(SourceID(UInt64(2 * number + source)), reason: .disconnect, at: instant)
    if sources[number].isEmpty, let now { disconnected(number, at: now) }
  }

  private mutating func sendFrame() throws {
    let number = random.int(0...symbols.count - 1)
    let isLost = contiguous[number] && numbered[number].isDeaf
    guard !sources[number].isEmpty, !isLost else {
      // Nobody hears it.
      if hasFills || contiguous[number] { trade(tick(number, base: instant.wall), number) }
      return
    }
    var frame: [Tick] = []
    var base = instant.wall
    if configuration.clock == .feed {
      // Recorded data moves by itself, now and then far.
      base = (engine.clock.now ?? start) + random.int64(0...random.pick([10, 5_000, 61_000, 400_000]))
    }
    for _ in 0..<random.int(1...4) { frame.append(tick(number, base: base)) }
    for tick in frame { trade(tick, number) }
    if random.chance(1, in: 12), let again = sent[number].randomElement(using: &random) { frame.append(again) }
    if !contiguous[number] { sent[number] += frame }
    if canary == .loseLateTicks, random.chance(1, in: 4) {
      accepted[number] += frame.prefix(1)
      acceptedCount += 1
    }
    var delivered = frame
    if canary == .boundaryToOldCandle {
      delivered = frame.map { tick in
        var moved = tick
        let onBoundary = rules.shortest.openTime(of: tick.time.milliseconds) == tick.time.milliseconds
        if onBoundary { moved.time = Timestamp(nanoseconds: tick.time.nanoseconds - 1) }
        return moved
      }
    }
    let clockWasUnknown = now == nil
    delivered.withUnsafeBufferPointer { ticks in
      _ = engine.ingest(ticks, venue: 1, contiguous: contiguous[number], at: instant)
    }
    recordListening()
    let refused = Set(engine.refusals.map(\.index))
    for (index, tick) in frame.enumerated() where !refused.contains(index) {
      accepted[number].append(tick)
      acceptedCount += 1
      if contiguous[number] {
        numbered[number].accepted(tick)
        sent[number].append(tick)
      }
      journal.append(
        .tick(
          tick, serverTime: max(now ?? 0, configuration.clock == .feed ? tick.time.milliseconds : 0),
          contiguous: contiguous[number]))
      newest[number] = max(newest[number] ?? .min, tick.time.milliseconds)
      if clockWasUnknown, index == (0..<frame.count).first(where: { !refused.contains($0) }) {
        for other in symbols.indices where !sources[other].isEmpty {
          stretches[other].append(CandleModel.Stretch(from: tick.time.milliseconds, to: .max))
        }
      }
    }
    try checkDuplicates(number)
  }

  mutating func tick(_ number: Int, base: Milliseconds) -> Tick {
    var milliseconds = base
    switch random.int(0...9) {
    case 0: milliseconds -= random.int64(0...(rules.correctionWindow + 90_000))
    case 1: milliseconds -= random.int64(0...5_000)
    case 2: milliseconds += random.int64(0...6_000)
    case 3: milliseconds = random.pick(rules.timeframes).openTime(of: milliseconds)
    case 4: milliseconds = random.pick(rules.timeframes).openTime(of: milliseconds) - 1
    default: milliseconds -= random.int64(0...50)
    }
    // Where the source has said that nothing was traded nothing was.
    if told[number][rules.shortest.openTime(of: milliseconds)]?.isEmpty ?? false { milliseconds = base }
    let time = Timestamp(nanoseconds: milliseconds * 1_000_000 + (random.chance(1, in: 4) ? random.int64(0...3) : 0))
    var id = TradeID.none
    if contiguous[number] {
      id = .number(nextID[number])
      nextID[number] &+= 1
    } else if withIDs[number], random.chance(19, in: 20) {
      id = .number(nextID[number])
      nextID[number] &+= random.chance(1, in: 3) ? UInt64(random.int(1...3)) : 1
      if random.chance(1, in: 5), nextID[number] > 4 { id = .number(nextID[number] &+ 1_000_000_000) }
    }
    let scale = UInt8(random.int(0...4))
    return Tick(
      symbol: symbols[number], time: time, price: Fixed(coefficient: random.int64(1...500), scale: scale),
      volume: Fixed(coefficient: random.int64(0...50), scale: UInt8(random.int(0...8))), id: id,
      takerSide: random.pick([.buy, .buy, .sell, random.chance(1, in: 10) ? .unknown : .buy]))
  }

  mutating func exchangeWithStore() throws {
    recordListening()
    if let batch = engine.takeBatch() {
      try checker.store(batch, failing)
      updateCount += batch.updates.count
      batches.append(
        WaitingBatch(
          batch: batch, sequence: journal.count, alive: engine.clock.now,
          checker: hasRestarts ? checker : nil))
    }
    // Acknowledgements come late, several at once, or at once.
    let acknowledged = canary == .publishBeforeCommit ? batches.count + 1 : random.int(0...batches.count)
    var requests: [FillRequest] = []
    engine.takeFillRequests { requests.append($0) }
    for request in requests { want(request) }
    guard acknowledged > 0, !batches.isEmpty else { return }
    if acknowledged > batches.count { return engine.stored(upTo: batches.last!.batch.version + 1_000_000) }
    commit(acknowledged)
    engine.stored(upTo: checker.committed)
  }

  mutating func commit(_ count: Int) {
    for waiting in batches.prefix(count) {
      database.apply(waiting, names: symbols.map { engine.name(of: $0) })
      checker.committed = waiting.batch.version
    }
    batches.removeFirst(count)
  }

  mutating func recordListening() {
    engine.takeListeningEvents { journal.append(.listening($0)) }
  }

  mutating func publishForming() {
    _ = engine.publishForming(at: instant) { _ in ~0 }
  }

  mutating func drain() throws {
    var taken: [Publication] = []
    engine.takePublications { taken.append($0) }
    for publication in taken { try checker.publish(publication, failing) }
  }

  private func checkDuplicates(_ number: Int) throws {
    let numbers = accepted[number].compactMap { $0.id.kind == .number ? $0.id.low : nil }
    if canary == .none, Set(numbers).count != numbers.count { throw fail("a trade id was counted twice") }
  }

  /// Holds nothing of the simulation but its seed: the checks would be copied with it.
  var failing: (String) -> Failure {
    let seed = seed
    return { Failure(seed: seed, what: $0) }
  }

  func fail(_ what: String) -> Failure { Failure(seed: seed, what: what) }
}
