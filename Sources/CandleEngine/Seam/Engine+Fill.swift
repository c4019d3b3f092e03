import CandleCore

/// Candles and gaps of one symbol that were decided while a fill reads the store: what it reads may be older.
struct DecidedCandles {
  var candles: [SeriesKey: [Milliseconds: Candle]] = [:]
  var gaps: [Milliseconds: Gap] = [:]

  mutating func note(_ update: CandleUpdate) {
    candles[update.series, default: [:]][update.candle.openTime] = update.candle
  }
  mutating func note(_ gap: Gap) { gaps[gap.from] = gap }
}

/// What the store was read for a fill.
public struct FillReading: Sendable {
  /// As `FillBasis` has them.
  public var candles: [[Candle]]
  public var through: Milliseconds
  public var heardSince: Milliseconds
  /// Gaps of the symbol that are not filled.
  public var gaps: [Gap]
  /// By position of the timeframe, the newest candles, oldest first, as many as indicators are warmed with; empty where
  /// they are not needed.
  public var newest: [[Candle]]

  public init(candles: [[Candle]], through: Milliseconds, heardSince: Milliseconds, gaps: [Gap], newest: [[Candle]]) {
    self.candles = candles
    self.through = through
    self.heardSince = heardSince
    self.gaps = gaps
    self.newest = newest
  }
}

/// The seam between history and live data: what a source says of intervals that were not heard, or not whole.
extension Engine {
  /// Whether gaps and incomplete candles of a symbol can be filled.
  public func setHistory(_ hasHistory: Bool, of symbol: Int32) { symbols[Int(symbol)].hasHistory = hasHistory }

  /// Accepted ticks that changed nothing, since their candle was filled.
  public var supersededTicks: Int64 { (0..<symbolCount).reduce(0) { $0 + symbols[$1].settler.superseded } }

  /// Hands over what has become known to be missing, oldest first.
  public func takeFillRequests(_ body: (FillRequest) -> Void) {
    guard !fillRequests.isEmpty else { return }
    for request in fillRequests { body(request) }
    fillRequests.removeAll()
  }

  /// Remembers what is decided while the store is read, and what a history source may fill.
  func noteDecided(_ update: CandleUpdate) {
    let symbol = Int(update.series.symbol)
    symbols[symbol].sinceRead?.note(update)
    symbols[symbol].sinceMissed?.note(update)
    guard symbols[symbol].hasHistory else { return }
    if !update.candle.complete, rootTimeframes.contains(update.series.timeframe) {
      fillRequests.append(.candle(update.series, openTime: update.candle.openTime))
    }
  }

  func noteForFills(_ gap: Gap) {
    symbols[Int(gap.symbol)].sinceRead?.note(gap)
    if gap.to != nil, !gap.filled { fillRequests.append(.gap(gap)) }
  }

  /// The store is about to be read for a fill of this symbol; from now on what is decided is remembered beside it.
  public func beginFill(_ symbol: Int32) { symbols[Int(symbol)].sinceRead = decidedCandles(of: symbol) }

  /// What waits for the store.
  func decidedCandles(of symbol: Int32) -> DecidedCandles {
    var decided = DecidedCandles()
    pending.forEach { item in
      switch item {
      case .settled(let update, _), .filled(let update): if update.series.symbol == symbol { decided.note(update) }
      case .gap(let gap): if gap.symbol == symbol { decided.note(gap) }
      }
    }
    return decided
  }

  /// The fill of this symbol came to nothing.
  public func cancelFill(_ symbol: Int32) { symbols[Int(symbol)].sinceRead = nil }

  /// Fills intervals with what a history source says of them; see `Settler.fill`.
  /// - Parameters:
  ///   - timeframe: one that takes ticks.
  ///   - intervals: oldest first, each once, whose end and grace have passed.
  ///   - reading: of the store, begun after `beginFill`.
  ///   - learned: stretches of gaps that earlier answers have told.
  public func fill(
    _ symbol: Int32, _ timeframe: Timeframe, _ intervals: [FilledInterval], _ reading: FillReading,
    learned: RangeList, at instant: Instant
  ) -> FillOutcome {
    let at = Int(symbol)
    tick(at: instant)
    drainOutput()
    let decided = symbols[at].sinceRead ?? DecidedCandles()
    symbols[at].sinceRead = nil
    var gaps = Dictionary(reading.gaps.map { ($0.from, $0) }, uniquingKeysWith: { $1 })
    for (from, gap) in decided.gaps { gaps[from] = gap }
    if let open = symbols[at].openGap { gaps[open.from] = open }
    var unknown = RangeList(gaps.values.filter { !$0.filled }.map(\.unknown))
    for range in learned.ranges { unknown.remove(range) }
    let basis = FillBasis(
      candles: timeframes.indices.map { merge(reading.candles[$0], decided, symbol, $0) }, through: reading.through,
      unknown: unknown, told: learned,
      heardSince: min(
        reading.heardSince, gaps.values.lazy.filter { $0.reason != .missedTrades }.map(\.from).min() ?? .max))
    let outcome = symbols[at].settler.fill(
      intervals, at: position(of: timeframe), basis: basis, now: clock.now, into: &output)
    if let due = symbols[at].settler.clockDue { clockDue = min(clockDue, due) }
    counters.filled &+= outcome.filled
    counters.historyMismatches &+= outcome.mismatched
    drainFilled()
    for position in 0..<timeframeCount where outcome.changedFrom[position] != nil {
      let newest = merge(reading.newest[position], decided, symbol, position)
      rewarm(at, position, newest, from: outcome.changedFrom[position]!)
    }
    markDirty(symbol)
    return outcome
  }

  /// Nothing is known about a symbol from a moment on, until it is listened to.
  public func beginGap(_ symbol: Int32, at time: Milliseconds, reason: GapReason) {
    guard symbols[Int(symbol)].openGap == nil else { return }
    let gap = Gap(symbol: symbol, from: time, to: nil, reason: reason, version: nextVersion())
    symbols[Int(symbol)].openGap = gap
    record(gap)
  }

  /// All of a gap is known now.
  public func markFilled(_ gap: Gap) {
    var gap = gap
    gap.filled = true
    gap.version = nextVersion()
    record(gap)
  }

  /// Stored candles of a series, those that were decided since put over them.
  func merge(_ stored: [Candle], _ decided: DecidedCandles, _ symbol: Int32, _ position: Int) -> [Candle] {
    guard let newer = decided.candles[SeriesKey(symbol: symbol, timeframe: timeframes[position])], !newer.isEmpty else {
      return stored
    }
    var merged = Dictionary(stored.map { ($0.openTime, $0) }, uniquingKeysWith: { $1 })
    for (openTime, candle) in newer where candle.version > merged[openTime]?.version ?? 0 { merged[openTime] = candle }
    return merged.values.sorted { $0.openTime < $1.openTime }
  }

  /// Like `drainOutput`, for candles that readers take from the store.
  func drainFilled(values: (CandleUpdate) -> ContiguousArray<Double>? = { _ in nil }) {
    for update in output.updates {
      symbols[Int(update.series.symbol)].sinceRead?.note(update)
      symbols[Int(update.series.symbol)].sinceMissed?.note(update)
      storeSymbol(update.series.symbol)
      symbols[Int(update.series.symbol)].series[position(of: update.series.timeframe)].unpublished += 1
      batch.updates.append(update)
      batch.values.append(values(update))
      pending.append(.filled(update))
      counters.corrections &+= 1
    }
    batch.version = output.version
    output.updates.empty()
  }

  /// Indicators go on as if the filled candles had always been there.
  /// - Parameter newest: as many as indicators are warmed with, without what the fill changed.
  private func rewarm(_ symbol: Int, _ position: Int, _ newest: [Candle], from openTime: Milliseconds) {
    guard let plan, !symbols[symbol].series[position].isCold else { return }
    var merged = Dictionary(newest.map { ($0.openTime, $0) }, uniquingKeysWith: { $1 })
    let key = SeriesKey(symbol: Int32(symbol), timeframe: timeframes[position])
    for update in batch.updates where update.series == key { merged[update.candle.openTime] = update.candle }
    for candle in symbols[symbol].settler.settled(position, from: .min) { merged[candle.openTime] = candle }
    // What is older than these has no part in the values any more.
    let begin = newest.count >= plan.configuration.warmUp ? newest[0].openTime : .min
    let indicators = SeriesIndicators(plan: plan, correctionWindow: correctionDepth(timeframes[position]))
    for candle in merged.values.filter({ $0.openTime >= begin }).sorted(by: { $0.openTime < $1.openTime }) {
      indicators.commit(candle)
    }
    symbols[symbol].series[position].indicators = indicators
  }
}

extension Gap {
  /// The stretch of which something is missing. Missed trades lie at its ends too, and a gap without length still cuts
  /// the candle that it is in.
  public var unknown: Range<Milliseconds> {
    guard let to else { return from..<Milliseconds.max }
    return from..<(reason == .missedTrades ? to + 1 : max(to, from + 1))
  }
}

extension Candle {
  fileprivate var version: Int64 { settlement?.version ?? 0 }
}
