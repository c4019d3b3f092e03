import CandleCore
import CandleEngine
import CandleIndicators
import CandleWire

/// Computes the indicators of a series in a replay and hands on its candles with them.
///
/// A candle waits until no late tick can correct it any more, so that each is computed once.
final class IndicatorWriter {
  private let indicators: IndicatorSet
  private let keys: IndicatorKeys
  /// Those before `first` are written already.
  private var waiting: [Candle] = []
  private var first = 0
  private let horizon: Milliseconds
  private let values: UnsafeMutablePointer<Double>
  private let out = ByteWriter(capacity: 1_024)

  init(plan: IndicatorPlan, rules: SettlementRules, _ timeframe: Timeframe) {
    indicators = IndicatorSet(plan: plan)
    keys = IndicatorKeys(plan.keys)
    horizon = rules.correctionWindow + rules.shortest.interval + timeframe.interval
    values = .allocate(capacity: max(1, plan.keys.count))
  }

  deinit { values.deallocate() }

  func add(_ update: CandleUpdate, _ write: (Candle, UnsafeRawBufferPointer) throws -> Void) throws {
    take(update)
    guard first < waiting.count else { return }
    let end = waiting[waiting.count - 1].openTime - horizon
    while waiting[first].openTime < end {
      try write(waiting[first], text(of: waiting[first]))
      first += 1
    }
    if first >= 4 {
      waiting.removeFirst(first)
      first = 0
    }
  }

  private func take(_ update: CandleUpdate) {
    let openTime = update.candle.openTime
    var at = waiting.count
    // Searched from the newest, where nearly all belong.
    while at > first, waiting[at - 1].openTime >= openTime { at -= 1 }
    if at < waiting.count, waiting[at].openTime == openTime {
      waiting[at] = update.candle
    } else {
      waiting.insert(update.candle, at: at)
    }
  }

  func finish(_ write: (Candle, UnsafeRawBufferPointer) throws -> Void) throws {
    for candle in waiting[first...] { try write(candle, text(of: candle)) }
    waiting = []
    first = 0
  }

  /// Valid until the next call.
  private func text(of candle: Candle) -> UnsafeRawBufferPointer {
    indicators.commit(candle.content, into: values)
    out.clear()
    CandleJSON.write(UnsafeBufferPointer(start: values, count: keys.count), keys: keys, to: out)
    return out.bytes
  }
}
