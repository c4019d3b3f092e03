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
  private var waiting: [Candle] = []
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

  func add(_ update: CandleUpdate, _ write: (Candle, [UInt8]) throws -> Void) throws {
    if update.kind == .closed, waiting.last.map({ $0.openTime < update.candle.openTime }) ?? true {
      waiting.append(update.candle)
    } else if let index = waiting.firstIndex(where: { $0.openTime >= update.candle.openTime }) {
      if waiting[index].openTime == update.candle.openTime {
        waiting[index] = update.candle
      } else {
        waiting.insert(update.candle, at: index)
      }
    } else {
      waiting.append(update.candle)
    }
    guard let newest = waiting.last else { return }
    let final = waiting.prefix { $0.openTime < newest.openTime - horizon }
    for candle in final { try write(candle, text(of: candle)) }
    waiting.removeFirst(final.count)
  }

  func finish(_ write: (Candle, [UInt8]) throws -> Void) throws {
    for candle in waiting { try write(candle, text(of: candle)) }
    waiting = []
  }

  private func text(of candle: Candle) -> [UInt8] {
    indicators.commit(candle.content, into: values)
    out.clear()
    CandleJSON.write(UnsafeBufferPointer(start: values, count: keys.count), keys: keys, to: out)
    return out.array
  }
}
