import CandleCore
import CandleIndicators

/// The middle of the daemon: events in, effects out. No clock, no socket, no file and no thread is in it; time comes
/// with each event.
///
/// After each step the caller carries out what `takeBatch()` and `takePublications()` hand over.
public final class Engine {
  public internal(set) var configuration: EngineConfiguration
  public internal(set) var clock: ServerClock
  public internal(set) var counters = EngineCounters()
  public internal(set) var settlementDelays = SettlementDelays()
  /// Refused ticks of the last frame.
  public internal(set) var refusals: ContiguousArray<Refusal> = []
  /// The largest version that was handed out for publication.
  public internal(set) var publishedVersion: Int64
  /// The largest version that the store has committed.
  private var storedVersion: Int64
  /// Set while ticks cannot be kept: they are refused as `storage`.
  public var refusesForStorage = false
  /// Set while the journal takes no ticks: what forms of them must not be shown, since a crash would take it back.
  public var hidesForming = false

  var symbols: UnsafeMutablePointer<SymbolState>
  var symbolCapacity = 16
  public internal(set) var symbolCount = 0
  private var numbers: [String: Int32] = [:]
  var sources: [SourceID: [Int32]] = [:]
  var output: SettlementOutput
  var batch = StoreBatch()
  var pending = PendingQueue()
  var publications: ContiguousArray<Publication> = []
  var listeningEvents: ContiguousArray<ListeningEvent> = []
  /// What has become known to be missing, of symbols with a history source.
  var fillRequests: [FillRequest] = []
  /// Holes in trade ids that reach back to candles which only the store has.
  var missedTrades: [MissedTrades] = []
  /// The one of them that the store is read for.
  var runningMissed: MissedTrades?
  /// Symbols with dirty forming candles.
  var dirtySymbols: ContiguousArray<Int32> = []
  /// Symbols that got late ticks in the running frame.
  var lateSymbols: ContiguousArray<Int32> = []
  /// Server time before which nothing settles by clock.
  var clockDue: Milliseconds = .max
  /// Server time before which no hole in trade ids is overdue.
  var missedDue: Milliseconds = .max
  let timeframeCount: Int
  /// Those that no other divides.
  let rootTimeframes: [Timeframe]
  /// nil computes no indicators.
  public internal(set) var plan: IndicatorPlan?
  /// Restoring has come to records whose effects are not stored.
  var isRetaking = false
  /// Series whose indicators are not warm yet.
  public internal(set) var coldCount = 0
  /// Series that became cold again.
  var chilled: [ColdSeries] = []
  /// Values of the indicators of each update in `output`.
  var outputValues: ContiguousArray<ContiguousArray<Double>?> = []

  /// - Parameter version: the largest version in the database.
  public init(_ configuration: EngineConfiguration, version: Int64 = 0) {
    self.configuration = configuration
    clock = ServerClock(source: configuration.clock)
    output = SettlementOutput(version: version)
    publishedVersion = version
    storedVersion = version
    let indicators = configuration.indicators
    plan = indicators.flatMap { $0.keys.isEmpty ? nil : IndicatorPlan($0) }
    rootTimeframes = configuration.rules.roots
    timeframeCount = configuration.rules.timeframes.count
    symbols = .allocate(capacity: symbolCapacity)
  }

  deinit {
    symbols.deinitialize(count: symbolCount)
    symbols.deallocate()
  }

  /// What may change while the engine runs.
  public func change(formingInterval: Milliseconds, pendingLimit: Int, symbolLimit: Int) {
    configuration.formingInterval = formingInterval
    configuration.pendingLimit = pendingLimit
    configuration.symbolLimit = symbolLimit
  }

  // MARK: Symbols

  /// The number of a symbol, given to it at first sight.
  /// - Returns: nil when `symbolLimit` is reached.
  public func intern(_ name: String) -> Int32? {
    if let number = numbers[name] { return number }
    guard symbolCount < configuration.symbolLimit else {
      counters.symbolLimits &+= 1
      return nil
    }
    if symbolCount == symbolCapacity {
      let larger = UnsafeMutablePointer<SymbolState>.allocate(capacity: symbolCapacity * 2)
      larger.moveInitialize(from: symbols, count: symbolCount)
      symbols.deallocate()
      symbols = larger
      symbolCapacity *= 2
    }
    let number = Int32(symbolCount)
    (symbols + symbolCount).initialize(
      to: SymbolState(
        name: name, settler: Settler(symbol: number, rules: configuration.rules), timeframes: timeframeCount))
    symbolCount += 1
    numbers[name] = number
    return number
  }

  public func number(of name: String) -> Int32? { numbers[name] }
  public func name(of symbol: Int32) -> String { symbols[Int(symbol)].name }
  public func isDormant(_ symbol: Int32) -> Bool { symbols[Int(symbol)].settler.isDormant }
  public func isListening(_ symbol: Int32) -> Bool { symbols[Int(symbol)].settler.listening.since != nil }
  /// Event time of the newest tick, nil before the first.
  public func lastTick(_ symbol: Int32) -> Milliseconds? { symbols[Int(symbol)].settler.lastTick }

  /// The candle of a series that is not settled yet; nil where nothing forms, or while its predecessor waits for the
  /// disk.
  public func forming(_ symbol: Int32, position: Int) -> Candle? {
    guard !hidesForming, symbols[Int(symbol)].series[position].unpublished == 0 else { return nil }
    return symbols[Int(symbol)].settler.forming(position)
  }

  /// Open time of a candle that forms and is stored all the same: the end of a replay had cut it.
  public func reopened(_ symbol: Int32, position: Int) -> Milliseconds? {
    guard symbols[Int(symbol)].settler.isReopened(position) else { return nil }
    return forming(symbol, position: position)?.openTime
  }

  public var timeframes: [Timeframe] { configuration.rules.timeframes }

  // MARK: Time

  /// Reads the clock, once per wake. A jump is no time that was lived through: nothing was listened to in it.
  func readClock(_ instant: Instant) {
    let first = clock.now == nil
    let jump = clock.read(instant)
    if first, let now = clock.now { beginListening(at: now) }
    guard let jump else { return }
    for symbol in 0..<symbolCount where symbols[symbol].settler.listening.since != nil {
      let end = stopListening(to: symbol, at: jump.from, reason: .suspended)
      let begin = max(jump.to, end)
      startListening(to: symbol, at: begin)
      record(Gap(symbol: Int32(symbol), from: end, to: begin, reason: .suspended, version: nextVersion()))
    }
  }

  /// Ends the stretch in which a symbol was listened to.
  /// - Returns: its end. An exchange's clock may run ahead of ours: what was heard of was listened to.
  func stopListening(to symbol: Int, at now: Milliseconds, reason: GapReason) -> Milliseconds {
    let end = max(now, symbols[symbol].settler.lastTick ?? now)
    listeningEvents.append(ListeningEvent(symbol: Int32(symbol), time: end, endReason: reason))
    symbols[symbol].settler.stopListening(at: end, now: now)
    return end
  }

  func startListening(to symbol: Int, at time: Milliseconds) {
    symbols[symbol].settler.listening.begin(at: time)
    listeningEvents.append(ListeningEvent(symbol: Int32(symbol), time: time, endReason: nil))
  }

  public var hasListeningEvents: Bool { !listeningEvents.isEmpty }

  /// Hands over what began and ceased to be listened to, oldest first.
  public func takeListeningEvents(_ body: (ListeningEvent) -> Void) {
    guard !listeningEvents.isEmpty else { return }
    for change in listeningEvents { body(change) }
    listeningEvents.removeAll(keepingCapacity: true)
  }

  /// Since when a symbol has been listened to; nil if it is not.
  public func listeningSince(_ symbol: Int32) -> Milliseconds? { symbols[Int(symbol)].settler.listening.since }

  func nextVersion() -> Int64 {
    output.version += 1
    return output.version
  }

  func observe(_ eventTime: Milliseconds, at instant: Instant) {
    let first = clock.now == nil
    clock.observe(eventTime, at: instant)
    if first, let now = clock.now { beginListening(at: now) }
  }

  /// Where the clock has to be known first, listening begins with its first reading.
  private func beginListening(at now: Milliseconds) {
    for symbol in 0..<symbolCount where symbols[symbol].sources > 0 { startListening(to: symbol, at: now) }
  }

  /// The time endpoint was asked; see `ServerClock.measured`.
  public func measured(clockOffset: Milliseconds, at instant: Instant) {
    clock.measured(offset: clockOffset)
    readClock(instant)
  }

  /// Time passes: settles by clock what is due.
  /// - Parameter limit: symbols that are settled at most; the others stay due, so that who has thousands of them can let
  ///   ticks in between.
  public func tick(at instant: Instant, limit: Int = .max) {
    readClock(instant)
    guard let now = clock.now else { return }
    recordMissedTrades(now: now)
    guard now >= clockDue else { return }
    var due = Milliseconds.max
    var left = limit
    for symbol in 0..<symbolCount {
      if left > 0, let own = symbols[symbol].settler.clockDue, now >= own {
        symbols[symbol].settler.settleByClock(now: now, into: &output)
        markDirty(Int32(symbol))
        left -= 1
      }
      due = min(due, symbols[symbol].settler.clockDue ?? .max)
    }
    clockDue = due
    drainOutput()
  }

  /// The server clock passed the end and grace of some candle that no tick has settled.
  public func isClockSettlementDue(at instant: Instant) -> Bool {
    readClock(instant)
    guard let now = clock.now, now >= clockDue else { return false }
    // A tick may have settled it meanwhile, which leaves the time as it was.
    var due = Milliseconds.max
    for symbol in 0..<symbolCount { due = min(due, symbols[symbol].settler.clockDue ?? .max) }
    clockDue = due
    return now >= due
  }

  // MARK: Effects

  /// Moves what settlers decided to the store batch and the queue of publications.
  func drainOutput() {
    guard !output.updates.isEmpty else { return }
    computeIndicators()
    for (index, update) in output.updates.enumerated() {
      let values = plan == nil ? nil : outputValues[index]
      let symbol = Int(update.series.symbol)
      storeSymbol(update.series.symbol)
      symbols[symbol].series[position(of: update.series.timeframe)].unpublished += 1
      batch.updates.append(update)
      batch.values.append(values)
      pending.append(.settled(update, values: values))
      counters.count(update)
      // What a restart decides anew is decided before the clock is known.
      if let now = clock.now { settlementDelays.observe(update, now: now) }
      noteDecided(update)
    }
    batch.version = output.version
    output.updates.empty()
    outputValues.empty()
  }

  func record(_ gap: Gap) {
    storeSymbol(gap.symbol)
    batch.gaps.append(gap)
    batch.version = gap.version
    pending.append(.gap(gap))
    if symbols[Int(gap.symbol)].hasHistory { noteForFills(gap) }
  }

  func storeSymbol(_ symbol: Int32) {
    guard !symbols[Int(symbol)].stored else { return }
    symbols[Int(symbol)].stored = true
    batch.symbols.append(StoredSymbol(id: symbol, name: symbols[Int(symbol)].name))
  }

  func position(of timeframe: Timeframe) -> Int {
    for position in 0..<timeframeCount where configuration.rules.timeframes[position] == timeframe { return position }
    preconditionFailure("a settler only knows configured timeframes")
  }

  /// The version that was given last.
  public var lastVersion: Int64 { output.version }

  public var hasBatch: Bool { !batch.isEmpty }

  /// What is to be stored now, in one transaction; nil if nothing is.
  public func takeBatch() -> StoreBatch? {
    guard hasBatch else { return nil }
    defer { batch = StoreBatch() }
    return batch
  }

  /// The store committed everything up to a version: it may be published.
  /// - Parameter limit: as of `release`.
  public func stored(upTo version: Int64, limit: Int = .max) {
    storedVersion = max(storedVersion, version)
    release(limit)
  }

  /// Whether something is stored and still to be released.
  public var hasUnreleased: Bool { pending.first.map { $0.version <= storedVersion } ?? false }

  /// Publishes what is stored.
  /// - Parameter limit: candles and gaps at most, so that who has thousands of them can let ticks in between.
  public func release(_ limit: Int) {
    var left = limit
    while left > 0, let first = pending.first, first.version <= storedVersion {
      left -= 1
      pending.removeFirst()
      switch first {
      case .settled(let update, let values):
        publications.append(.settled(update, values: values))
        published(update.series)
      case .filled(let update):
        publications.append(.filled(update))
        published(update.series)
      case .gap(let gap):
        publications.append(.gap(gap))
      }
      publishedVersion = first.version
    }
  }

  private func published(_ series: SeriesKey) {
    let symbol = Int(series.symbol)
    let position = position(of: series.timeframe)
    symbols[symbol].series[position].unpublished -= 1
    if symbols[symbol].series[position].unpublished == 0 {
      symbols[symbol].series[position].lastForming = .min / 2
      markDirty(series.symbol)
    }
  }

  /// Hands over what is to be published, oldest first, and keeps the room for the next.
  public func takePublications(_ body: (Publication) -> Void) {
    guard !publications.isEmpty else { return }
    for publication in publications { body(publication) }
    publications.empty()
  }

  /// The largest end of a candle that a tick of this time decides about; a journal keeps the tick until that is past
  /// correction.
  public func horizon(of time: Milliseconds) -> Milliseconds {
    var end = Milliseconds.min
    for timeframe in rootTimeframes { end = max(end, timeframe.nextBoundary(after: time)) }
    return end
  }

  /// Settled candles that wait for the store, in bytes.
  public var pendingBytes: Int { pending.count * MemoryLayout<PendingItem>.stride }
}
