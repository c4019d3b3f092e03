import CandleCore
import CandleEngine
import CandleFeeds
import CandleIndicators
import CandleWire

/// From the bytes of a frame to the bytes that its readers are sent: all that the daemon does with a tick but sockets,
/// journal and disk.
enum FlowBench {
  private static let start: Milliseconds = 1_700_000_000_000

  static func run(_ options: Options) {
    let frames = options.number("frames", 300_000)
    let lines = options.number("lines", 1)
    let readers = options.number("readers", 1)
    let text = TickText(ticks: frames * lines)
    let configuration = IndicatorConfiguration()
    let engine = Engine(
      EngineConfiguration(
        rules: SettlementRules(timeframes: [.M1, .M5, .M15]), clock: .feed, formingInterval: 0,
        indicators: configuration)
    )
    let hub = Hub(
      HubConfiguration(timeframes: engine.timeframes, epoch: "bench"),
      keys: IndicatorKeys(IndicatorPlan(configuration).keys), version: 0)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    subscribe(readers, to: hub, buffer)
    _ = engine.intern("BTCUSDT")
    engine.sourceUp(SourceID(1), symbols: [0], at: Instant(monotonic: 0, wall: start))
    var bytes = 0
    let spent = Spent.on { bytes = measuredFlow(text, lines: lines, engine, hub, buffer) }
    precondition(engine.counters.ticks == frames * lines, "every tick is accepted")
    var figures = Figures("flow")
    figures.add("frames", frames)
    figures.add("lines", lines)
    figures.add("readers", readers)
    figures.add("messages", Int(hub.counters.messages))
    figures.add("bytes_out", bytes)
    figures.add("frame", spent, count: frames)
    figures.print()
  }

  private static func subscribe(_ readers: Int, to hub: Hub, _ buffer: UnsafeMutableRawBufferPointer) {
    let request = Array(#"{"op":"subscribe","topics":["candle.M1.BTCUSDT"]}"#.utf8)
    for id in 1...UInt64(readers) {
      hub.connect(id)
      request.withUnsafeBytes { hub.received($0, from: id, time: nil) }
      hub.warmed(id)
      while hub.fill(id, into: buffer) > 0 {}
    }
    hub.takeEffects { _ in }
  }

  /// A socket is written once for 32 frames, as a busy loop does it.
  @inline(never)
  private static func measuredFlow(
    _ text: TickText, lines: Int, _ engine: Engine, _ hub: Hub, _ buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    let format = TextFormat(timestamp: .milliseconds, symbolColumn: .none(0))
    var batch = TickBatch()
    var bytes = 0
    var line = 0
    var instant = Instant(monotonic: 1_000_000, wall: start)
    text.bytes.withUnsafeBytes { all in
      while line < text.starts.count - 1 {
        let end = min(line + lines, text.starts.count - 1)
        instant.monotonic += 1_000
        batch.clear()
        format.parse(UnsafeRawBufferPointer(rebasing: all[text.starts[line]..<text.starts[end]]), into: &batch) { _ in
          .failure(.unknownSymbol)
        }
        _ = batch.ticks.withUnsafeBufferPointer { engine.ingest($0, venue: 0, at: instant) }
        if let stored = engine.takeBatch() { engine.stored(upTo: stored.version) }
        publish(engine, hub, instant)
        line = end
        if line / lines % 32 == 0 { bytes += drain(engine, hub, buffer) }
      }
    }
    return bytes + drain(engine, hub, buffer)
  }

  private static func publish(_ engine: Engine, _ hub: Hub, _ instant: Instant) {
    _ = engine.publishForming(at: instant) { symbol in hub.formingInterest(of: symbol) { engine.name(of: symbol) } }
    engine.takePublications { publication in
      switch publication {
      case .forming(let series, let candle, let values):
        with(values) {
          hub.publishForming(
            candle, series: series, symbol: "BTCUSDT", position: engine.timeframes.firstIndex(of: series.timeframe)!,
            values: $0)
        }
      case .settled(let update, let values):
        with(values) {
          hub.publish(
            update, symbol: "BTCUSDT", position: engine.timeframes.firstIndex(of: update.series.timeframe)!, values: $0)
        }
      case .gap, .filled: break
      }
    }
  }

  private static func with(_ values: ContiguousArray<Double>?, _ body: (UnsafeBufferPointer<Double>?) -> Void) {
    if let values { values.withUnsafeBufferPointer(body) } else { body(nil) }
  }

  private static func drain(_ engine: Engine, _ hub: Hub, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var bytes = 0
    hub.takeEffects { effect in
      switch effect {
      case .wantsWrite(let id):
        while true {
          let used = hub.fill(id, into: buffer)
          bytes += used
          if used == 0 { break }
        }
      case .refreshSeries(let symbol, let position): engine.refreshForming(of: symbol, position: position)
      default: break
      }
    }
    return bytes
  }
}
