import CandleConfiguration
import CandleCore
import CandleNet
import Foundation

/// A local exchange that replays a recorded trade stream, and a daemon on it.
enum DemoCommand {
  static let symbol = "ETHEUR"

  static func run(_ invocation: Invocation) -> ExitCode {
    var signals = Signals([SIGTERM, SIGINT])
    ResourceLimits.raiseDescriptors()
    let recording = Recording(PackageResources.etheur_20210110_csv)
    let speed = invocation.number("speed") ?? 60
    let log = Log(invocation)
    let ended = invocation.has("once")
    let exchange: RecordedExchange
    do {
      exchange = try RecordedExchange(recording, speed: speed) {
        if ended {
          // The last candles wait for the clock, which needs the grace to pass.
          DispatchQueue.global().asyncAfter(deadline: .now() + 2) { kill(getpid(), SIGTERM) }
        } else {
          print("The recording is over; the daemon goes on serving. Ctrl-C ends it.")
        }
      }
    } catch {
      Console.error("candled demo: \(error)")
      return .unavailable
    }
    exchange.start()
    if let duration = invocation.duration("duration") {
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(duration))) { kill(getpid(), SIGTERM) }
    }
    let result = serve(invocation, exchange, log: log, signals: &signals)
    exchange.loop.stop(deadline: .milliseconds(500))
    exchange.loop.join()
    return result
  }

  private static func serve(
    _ invocation: Invocation, _ exchange: RecordedExchange, log: Log, signals: inout Signals
  ) -> ExitCode {
    var settings = DaemonSettings()
    settings.engine.clock = .feed
    settings.engine.rules.maxAhead = nil
    settings.engine.indicators = .init()
    settings.feeds = [FeedSpecification(name: "recorded", url: exchange.url, symbol: symbol)]
    let listen = invocation.listen("listen") ?? Configuration().listen
    settings.net.host = listen.host
    settings.net.port = Int(listen.port)
    settings.database = invocation.text("db") ?? temporaryDatabase()
    let display = CandleDisplay()
    switch RunCommand.start(settings, log: log, observer: { display.show($0, symbol: $1) }) {
    case .failure(let failure): return failure.code
    case .success(let daemon):
      printHints(host: listen.host, port: daemon.loop.boundPort, database: daemon.store.path)
      _ = signals.wait()
      RunCommand.stop(daemon)
      print("The database stays: \(settings.database)")
      return .ok
    }
  }

  private static func temporaryDatabase() -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("candled-demo-\(getpid())")
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("candles.db").path
  }

  private static func printHints(host: String, port: Int, database: String) {
    let address = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
    print(
      """
      candled is running on a recorded trade stream (\(symbol), 2021-01-10). See it in a browser: http://\(address)/
      Or try in another terminal:

        curl 'http://\(address)/v1/candles?symbol=\(symbol)&timeframe=M1&limit=3&forming=1'
        curl http://\(address)/v1/status
        candled tail ws://\(address)/v1/stream candle.M1.\(symbol) --snapshot 3
        sqlite3 \(database) "SELECT opened_at, open, high, low, close, volume, ticks FROM candles \
      WHERE symbol='\(symbol)' AND timeframe='M5' ORDER BY open_time DESC LIMIT 5"

      """)
  }
}
