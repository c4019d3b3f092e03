import CandleCore

/// The batch result, worked out naively: sort the ticks, cut them into intervals, fold each.
///
/// Shares no code with the settler but the numbers, so that one can be held against the other.
public struct CandleModel {
  public struct Stretch: Sendable {
    public var from: Milliseconds
    /// `.max` while it lasts.
    public var to: Milliseconds

    public init(from: Milliseconds, to: Milliseconds) {
      self.from = from
      self.to = to
    }
  }

  public struct Expected: Equatable, Sendable {
    public var content: CandleContent
    public var origin: CandleOrigin
    public var complete: Bool
  }

  public var rules: SettlementRules
  /// Accepted ticks of one symbol in the order of arrival.
  public var ticks: [Tick]
  public var listening: [Stretch]
  /// Stretches in which trades are missing, both ends included.
  public var missed: [Stretch]

  public init(rules: SettlementRules, ticks: [Tick], listening: [Stretch], missed: [Stretch] = []) {
    self.rules = rules
    self.ticks = ticks
    self.listening = listening
    self.missed = missed
  }

  /// Every candle that ends at or before `limit`, by timeframe and open time.
  public func candles(upTo limit: Milliseconds) -> [Timeframe: [Milliseconds: Expected]] {
    let sorted = sortedTicks()
    guard let first = sorted.first else { return [:] }
    var result: [Timeframe: [Milliseconds: Expected]] = [:]
    var dormantFrom: Milliseconds?
    var dormant: [Stretch] = []
    for timeframe in rules.timeframes {
      let buckets = Dictionary(grouping: sorted) { timeframe.openTime(of: $0.time.milliseconds) }
      let dividers = rules.timeframes.filter { $0.divides(timeframe) }
      var candles: [Milliseconds: Expected] = [:]
      var close: Fixed?
      var run: Int32 = 0
      var slot = timeframe.openTime(of: first.time.milliseconds)
      while slot + timeframe.interval <= limit {
        let end = slot + timeframe.interval
        let complete =
          listening.contains { $0.from <= slot && $0.to >= end }
          && !missed.contains { $0.from < end && $0.to >= slot }
        if let ticks = buckets[slot] {
          let content = fold(ticks)
          candles[slot] = Expected(content: content, origin: .ticks, complete: complete)
          close = content.close
          run = 0
          if timeframe == rules.shortest, let from = dormantFrom {
            dormant.append(Stretch(from: from, to: end))
            dormantFrom = nil
          }
        } else if let price = close {
          let inside = dividers.contains { divider in
            result[divider]!.keys.contains { $0 >= slot && $0 < end }
          }
          var own = false
          if dividers.isEmpty, rules.emptyCandles == .flat {
            let awake =
              timeframe == rules.shortest
              ? rules.flatLimit == 0 || run < rules.flatLimit : !dormant.contains { $0.from <= end && end < $0.to }
            own = awake && listening.contains { $0.from < end && $0.to >= end }
          }
          if inside || own {
            candles[slot] = Expected(content: .flat(at: price), origin: .flat, complete: complete)
            run += 1
            if timeframe == rules.shortest, run == rules.flatLimit { dormantFrom = end }
          }
        }
        slot = end
      }
      if timeframe == rules.shortest, let from = dormantFrom { dormant.append(Stretch(from: from, to: .max)) }
      result[timeframe] = candles
    }
    return result
  }

  /// By (event time as sent, trade id where every tick of the instant has one, arrival).
  func sortedTicks() -> [Tick] {
    let instants = Dictionary(grouping: ticks.indices) { ticks[$0].time }
    let order = ticks.indices.sorted { a, b in
      if ticks[a].time != ticks[b].time { return ticks[a].time < ticks[b].time }
      let numbered = instants[ticks[a].time]!.allSatisfy { ticks[$0].id.kind == .number }
      if numbered, ticks[a].id.low != ticks[b].id.low { return ticks[a].id.low < ticks[b].id.low }
      return a < b
    }
    return order.map { ticks[$0] }
  }

  func fold(_ ticks: [Tick]) -> CandleContent {
    var volume = FixedSum.zero
    var turnover = FixedSum.zero
    var bought = FixedSum.zero
    for tick in ticks {
      precondition(volume.add(tick.volume) && turnover.add(FixedSum.product(tick.price, tick.volume)))
      if tick.takerSide == .buy { precondition(bought.add(tick.volume)) }
    }
    let sided = ticks.allSatisfy { $0.takerSide != .unknown }
    return CandleContent(
      open: ticks.first!.price, high: ticks.map(\.price).max()!, low: ticks.map(\.price).min()!,
      close: ticks.last!.price, volume: volume, turnover: turnover, takerBuyVolume: sided ? bought : nil,
      ticks: Int64(ticks.count))
  }
}
