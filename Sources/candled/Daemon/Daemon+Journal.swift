import CandleCore
import CandleEngine
import CandleJournal
import CandleStore

extension Daemon {
  /// Key of the database: the journal's sequence whose effects it holds.
  static let journalMark = "journal"
  /// Records of one append; a retry after a failing disk comes in such parts.
  private static let appendLimit = 10_000
  /// Nanoseconds between two looks at segments that are no longer needed.
  private static let dropInterval: Int64 = 1_000_000_000
  /// About what a record takes in memory, in bytes.
  private static let recordBytes = MemoryLayout<JournalRecord>.stride

  /// Remembers what a frame brought until the turn ends; called after the engine took it.
  func recordTicks(venue: UInt32) {
    recordListening()
    let now = engine.clock.now ?? 0
    var refused = 0
    for index in batch.ticks.indices {
      if refused < engine.refusals.count, engine.refusals[refused].index == index {
        refused += 1
        continue
      }
      records.append(.tick(JournalTick(batch.ticks[index], venue: venue, serverTime: now)))
    }
  }

  /// Appends what a frame brought at once, without keeping it, where nothing else waits to be appended.
  /// - Returns: whether all of it is safe.
  func appendTicks(venue: UInt32) -> Bool {
    guard records.isEmpty, journalError == nil, engine.refusals.isEmpty, !engine.hasListeningEvents,
      journalledSymbols == engine.symbolCount
    else {
      recordTicks(venue: venue)
      return appendRecords()
    }
    if batch.ticks.isEmpty { return true }
    let now = engine.clock.now ?? 0
    do throws(JournalError) {
      try batch.ticks.withUnsafeBufferPointer { ticks throws(JournalError) in
        var newest = Milliseconds.min
        for index in 0..<ticks.count { newest = max(newest, ticks[index].time.milliseconds) }
        try journal.append(horizon: engine.horizon(of: newest)) { writer in
          for index in 0..<ticks.count { writer.tick(ticks[index], venue: venue, serverTime: now) }
        }
      }
      return true
    } catch {
      recordTicks(venue: venue)
      journalFailed(error)
      return false
    }
  }

  func recordListening() {
    engine.takeListeningEvents { event in
      records.append(
        .listening(event.symbol, event.endReason.map { .ended($0) } ?? .began, at: event.time))
    }
  }

  /// Appends what this turn accepted, before any of it is told or stored.
  /// - Returns: whether all of it is safe.
  func appendRecords() -> Bool {
    recordListening()
    while !records.isEmpty {
      let part = records.prefix(Self.appendLimit)
      do throws(JournalError) {
        try append(part)
        records.removeFirst(part.count)
      } catch {
        journalFailed(error)
        return false
      }
    }
    records.removeAll(keepingCapacity: true)
    if journalError != nil {
      journalError = nil
      journalRefuses = false
      refuseForStorage()
      engine.hidesForming = false
      log.notice("the journal takes ticks again", ["directory": journal.directory])
    }
    return true
  }

  private func append(_ part: ArraySlice<JournalRecord>) throws(JournalError) {
    var horizon = Milliseconds.min
    for record in part {
      switch record {
      case .tick(let tick): horizon = max(horizon, engine.horizon(of: tick.tick.time.milliseconds))
      case .listening(_, _, let time): horizon = max(horizon, engine.horizon(of: time))
      default: break
      }
    }
    let known = engine.symbolCount
    let first = journalledSymbols
    try journal.append(horizon: horizon) { writer in
      for symbol in first..<max(first, known) { writer.symbol(Int32(symbol), name: engine.name(of: Int32(symbol))) }
      for record in part { writer.record(record) }
    }
    journalledSymbols = known
  }

  private func journalFailed(_ error: JournalError) {
    journalFailures += 1
    if journalError != error {
      log.error("the journal takes no ticks; nothing is acknowledged or published", ["error": "\(error)"])
    }
    journalError = error
    engine.hidesForming = true
    journalRefuses = records.count * Self.recordBytes > settings.engine.pendingLimit
    refuseForStorage()
  }

  /// What a segment begins with, so that it can be read on its own.
  func restate(_ writer: inout JournalWriter) {
    for symbol in 0..<Int32(engine.symbolCount) { writer.symbol(symbol, name: engine.name(of: symbol)) }
    for symbol in 0..<Int32(engine.symbolCount) {
      if let since = engine.listeningSince(symbol) { writer.listening(symbol, .began, at: since) }
    }
  }

  /// Lets go of segments whose candles are all stored and past correction.
  func dropSegments() {
    guard instant.monotonic >= nextDrop, let now = engine.clock.now else { return }
    nextDrop = instant.monotonic + Self.dropInterval
    guard engine.pendingBytes == 0 else { return }
    let rules = settings.engine.rules
    journal.drop(
      horizonBefore: now - rules.correctionWindow - rules.grace - Self.dropMargin, committed: committedSequence,
      now: instant.wall, mostBytes: journalKeepBytes)
  }

  /// Clocks that were stepped, and settlements on their way, are given this long, in milliseconds.
  private static let dropMargin: Milliseconds = 10_000

  // MARK: Start

  /// Takes up the symbols of the database where they were left, and the ticks that it does not hold.
  func restore() throws {
    let rules = settings.engine.rules
    let (histories, mark, dropped) = try store.readNow { reader throws(StoreError) in
      let gaps = try reader.openGaps()
      var histories: [SymbolHistory] = []
      // A symbol may have been listened to that never had a tick.
      for name in Set(try reader.symbols() + gaps.map(\.symbol)).sorted() {
        histories.append(try reader.history(of: name, rules: rules, openGap: gaps.first { $0.symbol == name }))
      }
      return (histories, try reader.mark(Self.aliveMark), try reader.droppedVersion())
    }
    hub.droppedVersion = dropped
    for history in histories { engine.restore(history) }
    if settings.storeIndicators { try warmNow() }
    let last = try recoverRecords()
    engine.finishRestore(alive: [mark, last].compactMap { $0 }.max(), at: instant)
  }

  /// - Returns: server time of the newest record.
  private func recoverRecords() throws -> Milliseconds? {
    let reader = JournalReader(directory: journal.directory, epoch: store.epoch)
    let contiguous = contiguousVenues
    var numbers: [Int32: Int32] = [:]
    var newest: Milliseconds?
    var ticks = 0
    while let entry = try reader.next() {
      switch entry {
      case .segment: numbers = [:]
      case .restated(let record): recover(record, isStored: true, contiguous, &numbers, &newest)
      case .record(let sequence, let record):
        if case .tick = record { ticks += 1 }
        recover(record, isStored: sequence <= committedSequence, contiguous, &numbers, &newest)
      case .damage(let damage):
        log.error(
          "a part of the journal is damaged",
          [
            "segment": damage.segment, "offset": "\(damage.offset)", "flaw": damage.flaw.rawValue,
            "records_lost": damage.lost.map { "\($0)" } ?? "unknown",
          ])
      }
    }
    if ticks > 0 { log.info("journal read", ["ticks": "\(ticks)", "directory": journal.directory]) }
    return newest
  }

  private func recover(
    _ record: JournalRecord, isStored: Bool, _ contiguous: [String: Set<UInt32>],
    _ numbers: inout [Int32: Int32], _ newest: inout Milliseconds?
  ) {
    switch record {
    case .symbol(let number, let name): numbers[number] = engine.intern(name)
    case .tick(let entry):
      guard let symbol = numbers[entry.tick.symbol] else { return }
      var tick = entry.tick
      tick.symbol = symbol
      let isContiguous =
        !contiguous.isEmpty && contiguous[engine.name(of: symbol)]?.contains(entry.venue) ?? false
      engine.recover(
        tick, venue: entry.venue, isStored: isStored, serverTime: entry.serverTime, contiguous: isContiguous)
      newest = max(newest ?? .min, entry.serverTime)
    case .listening(let number, let change, let time):
      guard let symbol = numbers[number] else { return }
      var reason: GapReason?
      if case .ended(let ended) = change { reason = ended }
      engine.recoverListening(symbol, at: time, ends: reason, isStored: isStored)
    case .alive(let time): newest = max(newest ?? .min, time)
    case .committed: break
    }
  }

  /// Candles that are decided anew are stored with their indicators, so these are warmed before.
  private func warmNow() throws {
    guard let plan = engine.plan else { return }
    for series in engine.coldSeries(matching: { _, _ in true }) {
      let candles = try store.readNow { reader throws(StoreError) in
        try reader.candles(
          symbol: series.name, timeframe: series.timeframe, limit: plan.configuration.warmUp, newest: true)
      }
      _ = engine.warm(series, with: candles)
    }
  }
}
