import CandleCore
import CandleIndicators

/// The indicators of one series in the daemon: what was committed, and the values that were published with it.
final class SeriesIndicators {
  private struct Committed {
    var openTime: Milliseconds
    var values: ContiguousArray<Double>
  }

  private let indicators: IndicatorSet
  /// The committed candles that can be rolled back, oldest first.
  private var recent: ContiguousArray<Committed> = []

  /// - Parameter correctionWindow: number of settled candles that a late tick may still correct.
  init(plan: IndicatorPlan, correctionWindow: Int) {
    indicators = IndicatorSet(plan: plan, correctionWindow: correctionWindow)
  }

  var count: Int { indicators.count }
  private var valueCount: Int { indicators.plan.keys.count }

  /// Takes the next settled candle.
  @discardableResult
  func commit(_ candle: borrowing Candle) -> ContiguousArray<Double> {
    let content = candle.content
    let values = values { indicators.commit(content, into: $0) }
    if recent.count > indicators.correctionWindow { recent.removeFirst(recent.count - indicators.correctionWindow) }
    recent.append(Committed(openTime: candle.openTime, values: values))
    return values
  }

  /// The values of a forming candle; changes nothing.
  func preview(_ candle: borrowing Candle) -> ContiguousArray<Double> {
    let content = candle.content
    return values { indicators.preview(content, into: $0) }
  }

  /// - Parameter compute: writes the values; there is at least one.
  @inline(__always)
  private func values(_ compute: (UnsafeMutablePointer<Double>) -> Void) -> ContiguousArray<Double> {
    ContiguousArray(unsafeUninitializedCapacity: valueCount) { buffer, count in
      compute(buffer.baseAddress.unsafelyUnwrapped)
      count = valueCount
    }
  }

  /// Whether the candle of a moment, or a later one, was committed.
  func hasSeen(_ openTime: Milliseconds) -> Bool { recent.last.map { $0.openTime >= openTime } ?? false }

  /// Whether the candles from a moment on can be rolled back.
  func reaches(_ openTime: Milliseconds) -> Bool {
    (recent.first?.openTime ?? .max) <= openTime || recent.count < indicators.correctionWindow
  }

  /// Takes back every candle from `openTime` on and commits those that stand there now.
  /// - Parameters:
  ///   - candles: settled candles from `openTime` on, oldest first.
  ///   - isPublished: whether a candle is published anew whatever its values are.
  /// - Returns: the new values of each, and whether they differ from those that were published for it.
  func restate(
    from openTime: Milliseconds, _ candles: [Candle], isPublished: (Milliseconds) -> Bool
  ) -> [(values: ContiguousArray<Double>, changed: Bool)]? {
    let first = recent.firstIndex { $0.openTime >= openTime } ?? recent.count
    let before = Array(recent[first...])
    guard indicators.rollBack(by: before.count) else { return nil }
    recent.removeSubrange(first...)
    return candles.map { candle in
      let values = commit(candle)
      guard let old = before.first(where: { $0.openTime == candle.openTime }) else { return (values, true) }
      if isPublished(candle.openTime) { return (values, true) }
      if Self.differ(values, old.values) { return (values, true) }
      // What was published stays what the next correction is compared with: small differences must not add up unseen.
      recent[recent.count - 1].values = old.values
      return (old.values, false)
    }
  }

  /// By the criterion that indicator values are compared with: 1e-9 of the value, where values of the same candle give
  /// the scale of what is close to zero.
  static func differ(_ a: ContiguousArray<Double>, _ b: ContiguousArray<Double>) -> Bool {
    for (x, y) in zip(a, b) {
      if x.isNaN != y.isNaN { return true }
      if x.isNaN { continue }
      if (x - y).magnitude > 1e-9 * max(x.magnitude, y.magnitude) { return true }
    }
    return false
  }
}

/// Indicator values of stored candles, computed when they are asked for.
public enum IndicatorHistory {
  /// - Parameters:
  ///   - warmUp: the candles before, oldest first; `IndicatorConfiguration.warmUp` of them, or all there are.
  ///   - candles: oldest first.
  /// - Returns: the values of each candle.
  public static func values(of candles: [Candle], after warmUp: [Candle], plan: IndicatorPlan) -> [[Double]] {
    let indicators = IndicatorSet(plan: plan)
    let count = plan.keys.count
    return withUnsafeTemporaryAllocation(of: Double.self, capacity: max(1, count)) { buffer in
      for candle in warmUp { indicators.commit(candle.content, into: buffer.baseAddress!) }
      return candles.map { candle in
        indicators.commit(candle.content, into: buffer.baseAddress!)
        return Array(buffer.prefix(count))
      }
    }
  }
}
