import CandleCore
import CandleIndicators
import CandleWire

/// A forming candle with the default indicators to the frame that all its readers share, in one of the formats.
enum WireBench {
  static func run(_ options: Options) {
    let messages = options.number("messages", 300_000)
    guard let kind = CandleFormat.Kind(rawValue: options.text("format") ?? "json") else { Bench.misuse() }
    let samples = FormingSamples(1_000)
    let encode = encoder(kind, IndicatorKeys(samples.plan.keys))
    var bytes = 0
    let spent = Spent.on {
      for number in 0..<messages { bytes += samples.withCandle(number, encode) }
    }
    var figures = Figures("wire")
    figures.add("messages", messages)
    figures.add("bytes_per_message", Double(bytes) / Double(messages))
    figures.add("message", spent, count: messages)
    figures.print()
  }

  /// Makes the frame of a candle and tells its size.
  private static func encoder(
    _ kind: CandleFormat.Kind, _ keys: IndicatorKeys
  ) -> (Candle, UnsafeBufferPointer<Double>) -> Int {
    if kind == .json {
      let encoder = StreamEncoder(keys: keys)
      return { candle, values in
        encoder.candle(.forming, .candle, candle, symbol: "BTCUSDT", timeframe: .M1, values: values).bytes.count
      }
    }
    let out = ByteWriter(capacity: 8_192)
    if kind == .rhlineplot {
      // The whole line of a day of minutes.
      let day = 1_440
      var plot = LinePlot(limit: day, segment: .D1)
      for number in 0..<day { plot.take(FormingSamples.candle(number, .flat(at: "36500.25"))) }
      return { candle, _ in
        plot.take(FormingSamples.candle(day, candle.content))
        out.clear()
        plot.write(time: candle.openTime, to: out)
        return Frame(text: out.bytes).bytes.count
      }
    }
    let dialect = CandleDialect(CandleFormat(kind), keys: keys)
    return { candle, values in
      let message = CandleMessage(
        type: .forming, kind: .candle, candle: candle, symbol: "BTCUSDT", timeframe: .M1, values: values,
        lastTick: candle.openTime, time: candle.openTime)
      out.clear()
      guard dialect.write(message, to: out) else { return 0 }
      return Frame(text: out.bytes).bytes.count
    }
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
      contents[100...].enumerated().map { index, content in Self.candle(index, content) })
  }

  /// The forming candle of a minute.
  static func candle(_ number: Int, _ content: CandleContent) -> Candle {
    Candle(
      openTime: 1_700_000_040_000 + Int64(number) * 60_000, content: content, origin: .ticks, complete: true,
      settlement: nil)
  }

  /// The sample of a number, counted round.
  func withCandle<Result>(_ number: Int, _ body: (Candle, UnsafeBufferPointer<Double>) -> Result) -> Result {
    let index = number % candles.count
    return values.withUnsafeBufferPointer { all in
      body(candles[index], UnsafeBufferPointer(rebasing: all[index * plan.keys.count..<(index + 1) * plan.keys.count]))
    }
  }
}
