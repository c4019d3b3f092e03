import CandleCore

/// Trades between two moments of a symbol are missing by their ids, and candles that are not in memory any more may be
/// the ones that they would be in.
public struct MissedTrades: Sendable, Equatable {
  public var symbol: Int32
  /// Both ends included, in milliseconds.
  public var from: Milliseconds
  public var to: Milliseconds
}

/// Stored candles that trades are missing from.
public struct MissedReading: Sendable {
  /// By position of the timeframe, oldest first: all whose interval touches the stretch.
  public var candles: [[Candle]]
  /// The values of their indicators, where these are stored; else nil for each.
  public var values: [[ContiguousArray<Double>?]]

  public init(candles: [[Candle]], values: [[ContiguousArray<Double>?]]) {
    self.candles = candles
    self.values = values
  }
}

/// Holes in the ids of venues that number their trades without holes.
extension Engine {
  func observeID(of tick: UnsafePointer<Tick>, venue: UInt32, now: Milliseconds) {
    guard tick.pointee.id.kind == .number else { return }
    let symbol = Int(tick.pointee.symbol)
    let rules = configuration.rules
    if !symbols[symbol].sequences.contains(where: { $0.venue == venue }) {
      symbols[symbol].sequences.append((venue, TradeIDSequence()))
    }
    for index in symbols[symbol].sequences.indices where symbols[symbol].sequences[index].venue == venue {
      symbols[symbol].sequences[index].sequence.observe(
        tick.pointee.id.low, time: tick.pointee.time.milliseconds, now: now, grace: rules.grace)
      if let due = symbols[symbol].sequences[index].sequence.due { missedDue = min(missedDue, due) }
    }
  }

  /// A venue that numbers its trades without holes says which the newest of a symbol is.
  /// - Parameters:
  ///   - id: of the newest trade, whether it came here or not.
  ///   - time: when it was the newest, in milliseconds.
  public func expectTrades(through id: UInt64, of symbol: Int32, venue: UInt32, time: Milliseconds, at instant: Instant)
  {
    readClock(instant)
    guard let now = clock.now else { return }
    let symbol = Int(symbol)
    for index in symbols[symbol].sequences.indices where symbols[symbol].sequences[index].venue == venue {
      symbols[symbol].sequences[index].sequence.expect(
        through: id, time: time, now: now, grace: configuration.rules.grace)
      if let due = symbols[symbol].sequences[index].sequence.due { missedDue = min(missedDue, due) }
    }
  }

  /// A symbol is not listened to any more. Its ids go on behind the gap: what does not follow there was missed before
  /// it as well.
  func interruptIDs(of symbol: Int, at time: Milliseconds) {
    for index in symbols[symbol].sequences.indices { symbols[symbol].sequences[index].sequence.interrupt(at: time) }
  }

  /// Holes in trade ids that stayed open are gaps.
  func recordMissedTrades(now: Milliseconds) {
    guard now >= missedDue else { return }
    missedDue = .max
    for symbol in 0..<symbolCount {
      for index in symbols[symbol].sequences.indices {
        for hole in symbols[symbol].sequences[index].sequence.overdue(now: now) {
          counters.missedTrades &+= Int64(clamping: hole.ids.upperBound - hole.ids.lowerBound + 1)
          if hole.isInGap { continue }
          let missed = MissedTrades(symbol: Int32(symbol), from: hole.from, to: hole.to)
          if symbols[symbol].settler.remembers(from: hole.from) {
            miss(missed, now: now)
          } else {
            missedTrades.append(missed)
          }
        }
        if let due = symbols[symbol].sequences[index].sequence.due { missedDue = min(missedDue, due) }
      }
    }
  }

  private func miss(_ missed: MissedTrades, stored: [[Candle]] = [], now: Milliseconds) {
    let symbol = missed.symbol
    symbols[Int(symbol)].settler.miss(
      from: missed.from, to: missed.to, stored: stored, now: now, into: &output)
    drainOutput()
    var whole = missed
    if let last = symbols[Int(symbol)].lastMissed, last.from == whole.from { whole.to = max(whole.to, last.to) }
    symbols[Int(symbol)].lastMissed = whole
    record(Gap(symbol: symbol, from: whole.from, to: whole.to, reason: .missedTrades, version: nextVersion()))
    markDirty(symbol)
  }

  // MARK: Candles of the store

  /// Hands over what has to be read from the store before it can be decided; one at a time.
  public func takeMissedTrades() -> MissedTrades? {
    guard runningMissed == nil, !missedTrades.isEmpty else { return nil }
    let missed = missedTrades.removeFirst()
    runningMissed = missed
    symbols[Int(missed.symbol)].sinceMissed = decidedCandles(of: missed.symbol)
    return missed
  }

  /// The store was read.
  /// - Parameter reading: begun after `takeMissedTrades`.
  public func finishMissedTrades(_ reading: MissedReading, at instant: Instant) {
    guard let missed = runningMissed else { return }
    tick(at: instant)
    drainOutput()
    let at = Int(missed.symbol)
    let decided = symbols[at].sinceMissed ?? DecidedCandles()
    runningMissed = nil
    symbols[at].sinceMissed = nil
    let stored = timeframes.indices.map { merge(reading.candles[$0], decided, missed.symbol, $0) }
    symbols[at].settler.missStored(from: missed.from, to: missed.to, stored, into: &output)
    drainFilled { update in
      let position = position(of: update.series.timeframe)
      let index = reading.candles[position].firstIndex { $0.openTime == update.candle.openTime }
      return index.flatMap { reading.values[position][$0] }
    }
    miss(missed, stored: stored, now: clock.now ?? missed.to)
  }

  /// The store could not be read; it is asked again.
  public func retryMissedTrades() {
    guard let missed = runningMissed else { return }
    runningMissed = nil
    symbols[Int(missed.symbol)].sinceMissed = nil
    missedTrades.insert(missed, at: 0)
  }
}
