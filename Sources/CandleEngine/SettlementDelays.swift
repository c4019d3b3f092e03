import CandleCore
import CandleWire

/// How long after its end each candle was settled, on the server clock, by what settled it.
///
/// A tick that runs ahead of the server clock may settle a candle before its end there; that counts as no delay. Candles
/// whose end passed while the process was away count with the whole of that time.
public struct SettlementDelays: Sendable, Equatable {
  public private(set) var byTick = Histogram(bounds: Histogram.seconds)
  public private(set) var byClock = Histogram(bounds: Histogram.seconds)

  public init() {}

  /// Corrections, and candles that a late tick made, are no settlements.
  mutating func observe(_ update: CandleUpdate, now: Milliseconds) {
    guard update.kind == .closed, let settlement = update.candle.settlement else { return }
    let end = update.candle.openTime + update.series.timeframe.interval
    let seconds = Double(max(0, now - end)) / 1_000
    if settlement.settledBy == .clock { byClock.observe(seconds) } else { byTick.observe(seconds) }
  }
}
