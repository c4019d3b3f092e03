import CandleCore
import CandleTestSupport

/// A settler in a scenario: times are those of `DayTime`, the server clock is read aloud.
final class Life {
  let rules: SettlementRules
  var settler: Settler
  var output = SettlementOutput(version: 0)
  /// Accepted ticks, as a journal has them.
  private(set) var journal: [Tick] = []

  /// - Parameter listening: from when on a source is there; nil: none comes by itself.
  init(
    _ timeframes: [Timeframe] = [.M1], empty: EmptyCandles = .flat, flatLimit: Int32 = 1_440,
    grace: Milliseconds = 1_000, window: Milliseconds = 60_000, listening: String? = "00:00"
  ) {
    rules = SettlementRules(
      timeframes: timeframes, grace: grace, correctionWindow: window, emptyCandles: empty, flatLimit: flatLimit,
      maxAhead: 5_000)
    settler = Settler(symbol: 0, rules: rules)
    if let listening { settler.listening.begin(at: Life.time(listening)) }
  }

  static func time(_ text: String) -> Milliseconds { DayTime.milliseconds(text) }

  // MARK: What happens

  /// A tick in a frame of its own, come at its own time if nothing else is said.
  @discardableResult
  func tick(
    _ time: String, _ price: Fixed, volume: Fixed = "1", id: UInt64? = nil, side: TakerSide = .unknown,
    at now: String? = nil
  ) -> RefusalReason? {
    let tick = Tick(
      time: Timestamp(nanoseconds: DayTime.nanoseconds(time)), price: price, volume: volume,
      id: id.map { .number($0) } ?? .none, takerSide: side)
    return frame([tick], at: Life.time(now ?? time)).first
  }

  /// Several ticks in one frame.
  func frame(_ ticks: [(time: String, price: Fixed)], at now: String) {
    let ticks = ticks.map {
      Tick(time: Timestamp(nanoseconds: DayTime.nanoseconds($0.time)), price: $0.price, volume: "1")
    }
    _ = frame(ticks, at: Life.time(now))
  }

  @discardableResult
  func frame(_ ticks: [Tick], at now: Milliseconds) -> [RefusalReason] {
    var refused: [RefusalReason] = []
    for tick in ticks {
      if let reason = settler.refusal(of: tick, now: now) {
        refused.append(reason)
      } else {
        settler.take(tick, now: now, into: &output)
        journal.append(tick)
      }
    }
    settler.finishFrame(now: now, into: &output)
    return refused
  }

  func clock(_ now: String) { settler.settleByClock(now: Life.time(now), into: &output) }

  func disconnect(_ time: String) { settler.listening.end(at: Life.time(time), horizon: .min) }
  func connect(_ time: String) { settler.listening.begin(at: Life.time(time)) }
  func end() { settler.settleAtEnd(into: &output) }

  /// Goes on where stored candles and the journal of another life end.
  func restore(_ history: [[Candle]], flatRun: Int32, journal: [Tick] = []) {
    settler.restore(history, flatRun: flatRun)
    for tick in journal { settler.reclaim(tick) }
    self.journal = journal
    settler.finishRestore()
  }

  // MARK: What is told

  var isDormant: Bool { settler.isDormant }
  var clockDue: Milliseconds? { settler.clockDue }
  var lastTick: Milliseconds? { settler.lastTick }
  func settled(_ position: Int = 0, from time: String) -> [String] {
    settler.settled(position, from: Life.time(time)).map { DayTime.text($0.openTime) }
  }

  /// What was settled or corrected since this was last asked, a line each:
  /// `M1 10:00 closed 1/3/1/2 v3 n3 by tick`, then what is out of the ordinary.
  var news: [String] {
    defer { output.updates.removeAll() }
    return output.updates.map { update in
      let settlement = update.candle.settlement!
      var line = "\(update.series.timeframe) \(DayTime.text(update.candle.openTime)) \(update.kind) "
      line += update.candle.content.summary + " by \(settlement.settledBy)"
      if settlement.revision > 0 { line += " r\(settlement.revision)" }
      if update.candle.origin != .ticks { line += " \(update.candle.origin)" }
      if !update.candle.complete { line += " incomplete" }
      return line
    }
  }

  /// The forming candle of a timeframe as `10:00 1/3/1/2 v3 n3`.
  func forming(_ timeframe: Timeframe = .M1) -> String? {
    settler.forming(rules.timeframes.firstIndex(of: timeframe)!).map { candle in
      "\(DayTime.text(candle.openTime)) \(candle.content.summary)"
        + (candle.origin == .flat ? " flat" : "") + (candle.complete ? "" : " incomplete")
    }
  }
}
