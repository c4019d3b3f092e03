import CandleCore
import CandleIndicators
import CandleWire

/// A forming candle with the default indicators to the frame that all its readers share.
enum WireBench {
  static func run(_ options: Options) {
    let messages = options.number("messages", 300_000)
    let samples = FormingSamples(1_000)
    let encoder = StreamEncoder(keys: IndicatorKeys(samples.plan.keys))
    var bytes = 0
    let spent = Spent.on {
      for number in 0..<messages {
        bytes += samples.withCandle(number) { candle, values in
          encoder.candle(.forming, .candle, candle, symbol: "BTCUSDT", timeframe: .M1, values: values).bytes.count
        }
      }
    }
    var figures = Figures("wire")
    figures.add("messages", messages)
    figures.add("bytes_per_message", Double(bytes) / Double(messages))
    figures.add("message", spent, count: messages)
    figures.print()
  }
}

/// Forming candles with their values.
struct FormingSamples {
  let plan = IndicatorPlan(IndicatorConfiguration())
  private let candles: ContiguousArray<Candle>
  private var values: ContiguousArray<Double> = []

  init(_ count: Int) {
    let set = IndicatorSet(plan: plan)
    let contents = SampleCandles.walk(count + 100)
    var row = [Double](repeating: 0, count: plan.keys.count)
    for index in 0..<count + 100 {
      set.commit(contents[index], into: &row)
      if index >= 100 { values.append(contentsOf: row) }
    }
    candles = ContiguousArray(
      contents[100...].enumerated().map { index, content in
        Candle(
          openTime: 1_700_000_040_000 + Int64(index) * 60_000, content: content, origin: .ticks, complete: true,
          settlement: nil)
      })
  }

  /// The sample of a number, counted round.
  func withCandle<Result>(_ number: Int, _ body: (Candle, UnsafeBufferPointer<Double>) -> Result) -> Result {
    let index = number % candles.count
    return values.withUnsafeBufferPointer { all in
      body(candles[index], UnsafeBufferPointer(rebasing: all[index * plan.keys.count..<(index + 1) * plan.keys.count]))
    }
  }
}
