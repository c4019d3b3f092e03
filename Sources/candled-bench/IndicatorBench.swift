import CandleCore
import CandleIndicators

/// The default set of values on the candles of one series: a preview of the forming one, a commit of a settled one.
enum IndicatorBench {
  static func run(_ options: Options) {
    let candles = SampleCandles.walk(options.number("candles", 100_000) + 100)
    let previews = options.number("previews", 10)
    let plan = IndicatorPlan(IndicatorConfiguration())
    let set = IndicatorSet(plan: plan, correctionWindow: 3)
    var figures = Figures("indicators")
    withUnsafeTemporaryAllocation(of: Double.self, capacity: plan.keys.count) { values in
      let values = values.baseAddress!
      for index in 0..<100 { set.commit(candles[index], into: values) }
      let count = candles.count - 100
      let previewed = Spent.on { preview(set, candles, previews, into: values) }
      let committed = Spent.on { commit(set, candles, into: values) }
      figures.add("values", plan.keys.count)
      figures.add("candles", count)
      figures.add("preview", previewed, count: count * previews)
      figures.add("commit", committed, count: count)
      figures.add("state_bytes", set.stateBytes)
    }
    figures.print()
  }

  /// Each candle several times, with another close each time.
  @inline(never)
  static func preview(
    _ set: IndicatorSet, _ candles: ContiguousArray<CandleContent>, _ previews: Int,
    into values: UnsafeMutablePointer<Double>
  ) {
    for index in 100..<candles.count {
      var forming = candles[index]
      let close = forming.close.coefficient
      for step in 0..<previews {
        forming.close = Fixed(coefficient: close + Int64(step), scale: 2)
        set.preview(forming, into: values)
      }
    }
  }

  @inline(never)
  static func commit(
    _ set: IndicatorSet, _ candles: ContiguousArray<CandleContent>, into values: UnsafeMutablePointer<Double>
  ) {
    for index in 100..<candles.count { set.commit(candles[index], into: values) }
  }
}
