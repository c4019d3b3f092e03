import CandleCore
import CandleEngine
import CandleFeeds
import CandleJournal
import CandleNet
import CandleStore
import CandleWire

/// The glue: carries events from sockets, timers and the store into the engine, and its effects out.
///
/// Everything but `init`, `start` and `stop` happens on the loop's thread.
final class Daemon: LoopHandler, @unchecked Sendable {
  var settings: DaemonSettings
  let log: Log
  let engine: Engine
  let hub: Hub
  let loop: EventLoop
  let store: CandleStore
  let journal: Journal
  /// What was accepted since the journal was last appended to.
  var records: ContiguousArray<JournalRecord> = []
  /// Symbols whose numbers the journal has.
  var journalledSymbols = 0
  var journalError: JournalError?
  var journalFailures: Int64 = 0
  /// The journal's sequence whose effects the database holds.
  var committedSequence: UInt64
  /// Versions that were submitted, and the sequence behind them.
  var sequences: [(version: Int64, sequence: UInt64)] = []
  /// Monotonic time of the next look at old segments, in nanoseconds.
  var nextDrop: Int64 = 0
  /// Called on the loop's thread with everything that is published, in order; for the demo's own display.
  let observer: Observer?
  typealias Observer = @Sendable (Publication, String) -> Void

  var feeds: [Feed] = []
  /// Number of the newest feed; none is used twice.
  var feedNumber: UInt64 = 0
  var feedsByConnection: [ConnectionID: Feed] = [:]
  var producers: [ConnectionID: Producer] = [:]
  /// The one that sent last: frames of one come in runs.
  var lastProducer: Producer?
  /// Producers with answers that wait for the end of the turn.
  var answeringProducers: [Producer] = []
  var ingestCounters = TickCounters()
  let ingestEncoder = IngestEncoder()
  var interner = SymbolInterner()
  /// Indicators of readers that are being brought up to date.
  var replays: [ReaderID: ReplayIndicators] = [:]
  var dialects = DialectState()
  /// Counts the changes of what indicators are computed.
  var indicatorGeneration = 0
  /// Kept for all frames, so that parsing allocates nothing once it has grown.
  var batch = TickBatch()
  var random = SystemRandomNumberGenerator()
  /// The clocks as read at the beginning of this turn.
  var instant: Instant
  let started: Instant
  /// Since when sockets have been read without letting the clock settle; nil when it may.
  var readingSince: Int64?
  /// Some of the symbols that are due to settle by clock are settled, the others follow turn by turn.
  var isSettling = false
  var storeError: StoreError?
  var limits = LimitCounters()
  var access = AccessCounters()
  var faults = FaultWatch()
  var budget: RequestBudget
  /// What has used up its space; ticks are refused meanwhile.
  var spaceLimit: Limit?
  /// The journal holds back too many ticks that it could not take.
  var journalRefuses = false
  /// Monotonic time of the next look at the space that is used, in nanoseconds.
  var nextSpaceCheck: Int64 = 0
  var isReadingSpace = false
  /// Bytes that the database uses; nil before it was asked.
  var databaseBytes: Int64?
  var isStopping = false
  var isLoopStopped = false
  /// Versions up to here were submitted to the store.
  var submittedVersion: Int64
  var commits = CommitCounters()
  /// Monotonic times of commits whose candles are not handed out yet, in nanoseconds.
  var unpublishedCommits: ContiguousArray<Int64> = []
  var publishDelay = Histogram.ofSeconds
  var backlogs = BacklogSamples()
  var service = ServiceState()
  /// Server time of the last mark that the daemon lives.
  var lastAlive: Milliseconds = .min / 2
  /// Monotonic time of the next round of retention, in nanoseconds.
  var nextRetention: Int64 = 0
  var retainedCandles: Int64 = 0
  /// By symbol, of those that a history source fills.
  var seams: [Int32: SymbolSeam] = [:]
  /// Whether stored indicators of some symbol are to be written anew.
  var hasChangedSeams = false
  /// Monotonic time of the next request to a history source, in nanoseconds.
  var seamDue: Int64 = .max
  /// Monotonic time before which the store is not read for missed trades, in nanoseconds.
  var missedDue: Int64 = 0
  /// Only with clock source `http`.
  var probe: ClockProbe?
  /// Where the loop's thread is before it runs.
  let commitRelay: CommitRelay

  init(
    _ settings: DaemonSettings, log: Log, observer: Observer? = nil
  ) throws {
    self.settings = settings
    self.log = log
    self.observer = observer
    let relay = CommitRelay()
    commitRelay = relay
    store = try CandleStore.open(
      path: settings.database, options: settings.store, onCommit: { relay.committed($0) },
      onFailure: { relay.failed($0) })
    do {
      let mark = try store.readNow { reader throws(StoreError) in try reader.mark(Self.journalMark) } ?? 0
      committedSequence = UInt64(mark)
      let (journal, report) = try Journal.open(
        directory: store.path + ".journal", epoch: store.epoch, committed: committedSequence, options: settings.journal)
      self.journal = journal
      if report.bytesCut > 0 {
        log.info("the end of the journal was half written and is cut", ["bytes": "\(report.bytesCut)"])
      }
      for name in report.foreign + report.damaged {
        log.warning("a segment of the journal was set aside", ["segment": name])
      }
      loop = try EventLoop(settings.net)
    } catch {
      store.close()
      throw error
    }
    var builder = TimeframeBuilder(
      store: store, timeframes: settings.engine.rules.timeframes, version: store.lastVersion)
    let built = try builder.build()
    if built > 0 { log.info("candles of new timeframes were built from shorter ones", ["candles": "\(built)"]) }
    let version = builder.version
    engine = Engine(settings.engine, version: version)
    submittedVersion = version
    hub = Hub(
      HubConfiguration(
        timeframes: settings.engine.rules.timeframes, maxBacklog: settings.maxBacklog,
        topicsPerConnection: settings.topicsPerConnection, maximumSnapshot: settings.maximumSnapshot,
        epoch: store.epoch, convention: settings.convention),
      keys: IndicatorKeys(engine.plan?.keys ?? []), version: version)
    budget = RequestBudget(perSecond: settings.requestsPerSecond)
    instant = MachineClock.now()
    started = instant
    try restore()
    journal.restate = { [unowned self] writer in restate(&writer) }
    journal.settle()
    hub.seriesName = { [unowned self] in series(of: $0) ?? BinanceName.symbol($0) }
    probe = settings.clock.map { clock in
      ClockProbe(clock, loop: loop, log: log) { [unowned self] offset in
        instant = MachineClock.now()
        engine.measured(clockOffset: offset, at: instant)
      }
    }
    feeds = settings.feeds.compactMap(makeFeed)
  }

  /// Begins to dial and to serve.
  func start() {
    commitRelay.begin(self)
    loop.post { [self] in makeSeams() }
    loop.start(handler: self)
  }

  // MARK: Turns

  /// One service pass is over. Sockets come first: a process that was stalled takes what they hold before the clock
  /// settles anything.
  func turn(_ loop: EventLoop) -> Wake {
    instant = MachineClock.now()
    if mustReadOn() {
      // What ticks have settled need not wait for the clock. It says nothing of what the sockets still hold.
      finishTurn(marksAlive: false)
      return .again
    }
    engine.tick(at: instant, limit: Self.settlementStep)
    isSettling = engine.isClockSettlementDue(at: instant)
    if !isStopping { probe?.run(at: instant) }
    dialFeeds()
    dropSilentFeeds()
    sendHeartbeats()
    runSeams()
    readMissedTrades()
    // What was decided is read back only once it is stored, which `warm` asks for again if it is not.
    if engine.coldCount > 0 { warm(engine.takeChilled()) {} }
    retainCandles()
    dropSegments()
    checkSpace()
    watchFaults()
    finishTurn()
    stopLoopWhenStored()
    sampleBacklogs()
    tellService()
    return engine.hasUnreleased ? .again : .at(nextWake())
  }

  /// Symbols that are settled by clock, and candles that are published, in one turn: some milliseconds, since ticks wait
  /// meanwhile.
  private static let settlementStep = 500
  private static let publicationStep = 2_000

  /// Whether the sockets may hold ticks that should settle what the clock is about to.
  private func mustReadOn() -> Bool {
    guard engine.isClockSettlementDue(at: instant) else {
      readingSince = nil
      return false
    }
    // What is left of a settlement that has begun does not wait for sockets that are never dry.
    if isSettling { return false }
    let since = readingSince ?? instant.monotonic
    let isFirst = readingSince == nil
    readingSince = since
    if isFirst || (loop.receivedInPass && instant.monotonic - since < 1_000_000_000) { return true }
    readingSince = nil
    return false
  }

  /// Carries out what the engine decided.
  /// - Parameter marksAlive: whether all that came until now was taken in.
  func finishTurn(marksAlive: Bool = true) {
    if marksAlive { markAlive() }
    // What is not safe is neither stored nor told.
    guard appendRecords() else { return }
    publishForming()
    submitBatch()
    sendAnswers()
    deliver()
  }

  private func nextWake() -> Int64? {
    var wake = engine.nextClockWake
    func consider(_ time: Int64?) { if let time { wake = min(wake ?? .max, time) } }
    consider(nextForming)
    for feed in feeds {
      if case .waiting(let until) = feed.state { consider(until) }
      if feed.nextHeartbeat < .max { consider(feed.nextHeartbeat) }
      if feed.state == .connected, feed.specification.silence > 0 {
        consider(feed.lastMessage + feed.specification.silence * 1_000_000)
      }
    }
    consider(service.wake)
    if hub.readerCount > 0 { consider(backlogs.next) }
    if seamDue < .max { consider(seamDue) }
    if missedDue > instant.monotonic { consider(missedDue) }
    consider(probe?.due)
    if engine.symbolCount > 0 { consider(instant.monotonic + Self.aliveInterval * 1_000_000) }
    return wake
  }

  /// When the next throttled forming message is due.
  var nextForming: Int64?

  // MARK: Publishing

  func publishForming() {
    nextForming = engine.publishForming(at: instant) { symbol in
      observer == nil ? hub.formingInterest(of: symbol) { engine.name(of: symbol) } : ~0
    }
  }

  /// Hands publications to the hub and what it wants to the loop.
  func deliver() {
    hub.time = engine.clock.now ?? instant.wall
    engine.release(Self.publicationStep)
    engine.takePublications { publication in
      switch publication {
      case .settled(let update, let values):
        let name = engine.name(of: update.series.symbol)
        withValues(values) {
          hub.publish(update, symbol: name, position: position(update.series.timeframe), values: $0)
        }
        dialects.note(update)
        observer?(publication, name)
      case .forming(let series, let candle, let values):
        let name = engine.name(of: series.symbol)
        withValues(values) {
          hub.publishForming(
            candle, series: series, symbol: name, position: position(series.timeframe), values: $0,
            lastTick: engine.lastTick(series.symbol))
        }
        observer?(publication, name)
      case .gap(let gap):
        hub.publish(gap, symbol: engine.name(of: gap.symbol))
        tellGap(gap, symbol: engine.name(of: gap.symbol))
      case .filled(let update):
        let name = engine.name(of: update.series.symbol)
        hub.publishFilled(update, symbol: name, position: position(update.series.timeframe))
        observer?(publication, name)
      }
    }
    hub.finishFilled()
    hub.takeEffects(carryOut)
    notePublished()
  }

  private func withValues(_ values: ContiguousArray<Double>?, _ body: (UnsafeBufferPointer<Double>?) -> Void) {
    if let values { values.withUnsafeBufferPointer(body) } else { body(nil) }
  }

  func position(_ timeframe: Timeframe) -> Int {
    settings.engine.rules.timeframes.firstIndex(of: timeframe) ?? 0
  }

  // MARK: Stopping

  /// Ends the daemon in good order: feeds first, then what is settled is stored and published, then the sockets.
  func beginStop() {
    guard !isStopping else { return }
    isStopping = true
    log.notice("stopping")
    ServiceNotifier.stopping()
    instant = MachineClock.now()
    for feed in feeds { stop(feed) }
    lastAlive = .min / 2
    finishTurn()
    stopLoopWhenStored()
  }

  func stopLoopWhenStored() {
    guard isStopping, !isLoopStopped, submittedVersion <= engine.publishedVersion || storeError != nil else { return }
    isLoopStopped = true
    loop.stop(closeCode: 1001, deadline: .milliseconds(1_500))
  }
}
