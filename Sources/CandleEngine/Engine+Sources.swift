import CandleCore

extension Engine {
  /// A source is connected and carries these symbols (more than before, if it was up already).
  public func sourceUp(_ source: SourceID, symbols carried: [Int32], at instant: Instant) {
    readClock(instant)
    for symbol in carried where !(sources[source]?.contains(symbol) ?? false) {
      sources[source, default: []].append(symbol)
      let at = Int(symbol)
      symbols[at].sources += 1
      guard symbols[at].sources == 1, let now = clock.now else { continue }
      let begin = max(now, symbols[at].openGap?.from ?? now)
      symbols[at].settler.listening.begin(at: begin)
      if var gap = symbols[at].openGap {
        symbols[at].openGap = nil
        gap.to = begin
        gap.version = nextVersion()
        record(gap)
      }
      markDirty(symbol)
    }
  }

  /// A source is gone; symbols that no other source carries are not listened to any more.
  public func sourceDown(_ source: SourceID, reason: GapReason, at instant: Instant) {
    readClock(instant)
    guard let carried = sources.removeValue(forKey: source) else { return }
    for symbol in carried {
      let at = Int(symbol)
      symbols[at].sources -= 1
      guard symbols[at].sources == 0, let now = clock.now, symbols[at].settler.listening.since != nil else { continue }
      let end = stopListening(to: at, at: now)
      for index in symbols[at].sequences.indices { symbols[at].sequences[index].sequence.restart() }
      let gap = Gap(symbol: symbol, from: end, to: nil, reason: reason, version: nextVersion())
      symbols[at].openGap = gap
      record(gap)
    }
  }
}

/// What the store knows of a symbol at the start.
public struct SymbolHistory: Sendable {
  public var name: String
  /// By position of the timeframe, oldest first; see `Settler.restore`.
  public var candles: [[Candle]]
  /// Flat candles in a row at the end of the shortest timeframe.
  public var flatRun: Int32
  /// The gap that was open when the last process ended.
  public var openGap: (from: Milliseconds, reason: GapReason)?

  public init(
    name: String, candles: [[Candle]], flatRun: Int32, openGap: (from: Milliseconds, reason: GapReason)?
  ) {
    self.name = name
    self.candles = candles
    self.flatRun = flatRun
    self.openGap = openGap
  }
}

extension Engine {
  /// Takes up a symbol of the database; before the first event.
  /// - Parameter alive: server time at which the last process was known to live: the gap `restart` begins there.
  public func restore(_ history: SymbolHistory, alive: Milliseconds?) {
    guard let symbol = intern(history.name) else { return }
    let at = Int(symbol)
    symbols[at].settler.restore(history.candles, flatRun: history.flatRun)
    for position in 0..<timeframeCount where plan != nil && !history.candles[position].isEmpty {
      symbols[at].series[position].isCold = true
      coldCount += 1
    }
    if let due = symbols[at].settler.clockDue { clockDue = min(clockDue, due) }
    if let gap = history.openGap {
      symbols[at].openGap = Gap(symbol: symbol, from: gap.from, to: nil, reason: gap.reason, version: 0)
    } else if let alive {
      let gap = Gap(symbol: symbol, from: alive, to: nil, reason: .restart, version: nextVersion())
      symbols[at].openGap = gap
      record(gap)
    }
  }

  /// With recorded data the clock goes on from the newest time that is known.
  public func resumeClock(at time: Milliseconds, _ instant: Instant) {
    clock.observe(time, at: instant)
  }
}
