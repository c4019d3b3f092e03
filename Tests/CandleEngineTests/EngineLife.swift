import CandleCore
import CandleEngine
import CandleTestSupport

/// An engine in a scenario: the clocks of a machine that somebody moves, a store that answers when it is told to.
final class EngineLife {
  let engine: Engine
  var instant: Instant
  private var batches: [StoreBatch] = []

  init(
    _ rules: SettlementRules = SettlementRules(timeframes: [.M1]), clock: ServerClock.Source = .system,
    pendingLimit: Int = 256 << 20, at start: String = "10:00", source: Bool = true,
    configure: (inout EngineConfiguration) -> Void = { _ in }
  ) {
    var configuration = EngineConfiguration(rules: rules, clock: clock, pendingLimit: pendingLimit)
    configure(&configuration)
    engine = Engine(configuration)
    instant = Instant(monotonic: 5_000_000_000, wall: DayTime.milliseconds(start))
    if source { up() }
  }

  // MARK: Time

  /// Lives on until then; the clock is read often enough.
  func pass(to time: String) {
    while instant.wall < DayTime.milliseconds(time) {
      move(min(10_000, DayTime.milliseconds(time) - instant.wall))
      _ = engine.isClockSettlementDue(at: instant)
    }
  }

  /// Both clocks go on, and nobody looks.
  func move(_ milliseconds: Milliseconds) {
    instant.monotonic += milliseconds * 1_000_000
    instant.wall += milliseconds
  }

  func tick() { engine.tick(at: instant) }

  func tick(_ time: String) {
    pass(to: time)
    tick()
  }

  /// Begins with what the store knows.
  func restore(_ history: SymbolHistory, alive: Milliseconds?) {
    engine.restore(history)
    engine.finishRestore(alive: alive, at: instant)
  }

  // MARK: Sources

  func symbol(_ name: String) -> Int32 { engine.intern(name)! }

  func up(_ source: UInt64 = 1, _ names: [String] = ["A"]) {
    engine.sourceUp(SourceID(source), symbols: names.map(symbol), at: instant)
  }

  func down(_ source: UInt64 = 1, reason: GapReason = .disconnect) {
    engine.sourceDown(SourceID(source), reason: reason, at: instant)
  }

  /// One tick in a frame of its own, come at its own time or where the clock stands already.
  @discardableResult
  func trade(
    _ time: String, _ price: Fixed, _ name: String = "A", id: TradeID = .none, venue: UInt32 = 1, at now: String? = nil
  ) -> RefusalReason? {
    pass(to: now ?? time)
    return frame([(time, price, name, id)], venue: venue).first
  }

  @discardableResult
  func frame(_ ticks: [(time: String, price: Fixed, name: String, id: TradeID)], venue: UInt32 = 1) -> [RefusalReason] {
    let ticks = ticks.map {
      Tick(
        symbol: symbol($0.name), time: Timestamp(nanoseconds: DayTime.nanoseconds($0.time)), price: $0.price,
        volume: "1", id: $0.id)
    }
    _ = ticks.withUnsafeBufferPointer { engine.ingest($0, venue: venue, at: instant) }
    return engine.refusals.map(\.reason)
  }

  // MARK: Store and publications

  /// Hands the store what is to be stored.
  @discardableResult
  func handOver() -> StoreBatch? {
    guard let batch = engine.takeBatch() else { return nil }
    batches.append(batch)
    return batch
  }

  /// The store commits the oldest batch it has.
  func commit() { engine.stored(upTo: batches.removeFirst().version) }

  func commitAll() {
    handOver()
    while !batches.isEmpty { commit() }
  }

  @discardableResult
  func publishForming() -> Int64? { engine.publishForming(at: instant) { _ in ~0 } }

  /// What is published since this was last asked: `closed M1 10:00 5/5/5/5 v1 n1`, `forming …`, `gap 10:00… disconnect`.
  var publications: [String] {
    var lines: [String] = []
    engine.takePublications { lines.append(line($0)) }
    return lines
  }

  /// All that is committed at once, and published.
  var news: [String] {
    commitAll()
    return publications
  }

  private func line(_ publication: Publication) -> String {
    switch publication {
    case .settled(let update, let values):
      var line = "\(update.kind) \(update.series.timeframe) \(DayTime.text(update.candle.openTime)) "
      line += update.candle.content.summary
      if update.candle.settlement!.revision > 0 { line += " r\(update.candle.settlement!.revision)" }
      if update.candle.origin == .flat { line += " flat" }
      if !update.candle.complete { line += " incomplete" }
      return line + text(values)
    case .forming(let series, let candle, let values):
      return "forming \(series.timeframe) \(DayTime.text(candle.openTime)) \(candle.content.summary)"
        + (candle.origin == .flat ? " flat" : "") + text(values)
    case .filled(let update):
      return "filled \(update.series.timeframe) \(DayTime.text(update.candle.openTime)) "
        + update.candle.content.summary + " r\(update.candle.settlement!.revision)"
    case .gap(let gap):
      return "gap \(DayTime.text(gap.from))–\(gap.to.map(DayTime.text) ?? "") \(gap.reason.rawValue)"
    }
  }

  private func text(_ values: ContiguousArray<Double>?) -> String {
    values.map { " [" + $0.map { $0.isNaN ? "null" : "\($0)" }.joined(separator: " ") + "]" } ?? ""
  }
}
