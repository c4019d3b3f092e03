import CandleCore
import CandleEngine
import CandleWire

/// Forming candles from the hub to the send buffers of its readers, without sockets.
enum HubBench {
  /// Messages between two visits of the sockets.
  static let burst = 32

  static func run(_ options: Options) {
    let readers = options.number("readers", 100)
    let published = options.number("messages", max(1_000, 2_000_000 / readers))
    let samples = FormingSamples(1_000)
    let hub = Hub(
      HubConfiguration(timeframes: [.M1, .M5, .M15], epoch: "bench"), keys: IndicatorKeys(samples.plan.keys),
      version: 0)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    subscribe(readers, to: hub, buffer)
    var bytes = 0
    let spent = Spent.on { bytes = publish(published, from: samples, through: hub, buffer) }
    let messages = published * readers
    var figures = Figures("hub")
    figures.add("readers", readers)
    figures.add("messages", messages)
    figures.add("encoded_per_publication", Double(hub.counters.encoded) / Double(published))
    figures.add("bytes_per_message", Double(bytes) / Double(messages))
    figures.add("message", spent, count: messages)
    figures.print()
  }

  private static func subscribe(_ readers: Int, to hub: Hub, _ buffer: UnsafeMutableRawBufferPointer) {
    let request = Array(#"{"op":"subscribe","topics":["candle.M1.BTCUSDT"]}"#.utf8)
    for id in 1...UInt64(readers) {
      hub.connect(id)
      request.withUnsafeBytes { hub.received($0, from: id, time: nil) }
      hub.warmed(id)
    }
    _ = drain(hub, buffer)
  }

  @inline(never)
  static func publish(
    _ count: Int, from samples: FormingSamples, through hub: Hub, _ buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let series = SeriesKey(symbol: 0, timeframe: .M1)
    var bytes = 0
    for number in 0..<count {
      samples.withCandle(number) { candle, values in
        hub.publishForming(candle, series: series, symbol: "BTCUSDT", position: 0, values: values)
      }
      if number % burst == burst - 1 || number == count - 1 { bytes += drain(hub, buffer) }
    }
    return bytes
  }

  /// Every socket that was asked for takes what waits.
  /// - Returns: the number of bytes.
  private static func drain(_ hub: Hub, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var bytes = 0
    hub.takeEffects { effect in
      guard case .wantsWrite(let id) = effect else { return }
      while true {
        let used = hub.fill(id, into: buffer)
        bytes += used
        if used == 0 { break }
      }
    }
    return bytes
  }
}
