import CandleConfiguration
import CandleCore
import CandleNet
import CandleWire
import Foundation

/// Prints the messages of a daemon's stream.
enum TailCommand {
  static func run(_ invocation: Invocation) -> ExitCode {
    var signals = Signals([SIGTERM, SIGINT])
    var configuration = NetConfiguration()
    configuration.host = nil
    do {
      let loop = try EventLoop(configuration)
      var target = WebSocketTarget(url: invocation.arguments("URL").first ?? "ws://127.0.0.1:8787/v1/stream")
      if let token = invocation.text("token") { target.headers = [("Authorization", "Bearer \(token)")] }
      let topics = invocation.arguments("TOPIC")
      let tail = Tail(
        loop, target, topics: topics.isEmpty ? ["candle.*.*"] : topics, snapshot: invocation.integer("snapshot") ?? 0,
        raw: invocation.has("json"))
      tail.begin()
      loop.start(handler: tail)
      _ = signals.wait()
      tail.isEnding = true
      loop.stop(deadline: .seconds(1))
      loop.join()
      return tail.code
    } catch {
      Console.error("candled tail: \(error)")
      return .unavailable
    }
  }
}

private final class Tail: LoopHandler, @unchecked Sendable {
  private let loop: EventLoop
  private let target: WebSocketTarget
  private let topics: [String]
  private let snapshot: Int
  private let raw: Bool
  /// How the program ends.
  private(set) var code = ExitCode.ok
  /// Ended by a signal: what the sockets say then is no news.
  var isEnding = false

  init(_ loop: EventLoop, _ target: WebSocketTarget, topics: [String], snapshot: Int, raw: Bool) {
    self.loop = loop
    self.target = target
    self.topics = topics
    self.snapshot = snapshot
    self.raw = raw
  }

  func begin() {
    loop.post { [self] in _ = loop.connect(target) }
  }

  func clientOpened(_ c: ConnectionID) {
    let out = ByteWriter(capacity: 256)
    out.write("{\"op\":\"subscribe\",\"id\":1,\"topics\":[")
    for (index, topic) in topics.enumerated() {
      if index > 0 { out.write(",") }
      out.writeJSON(string: topic)
    }
    out.write("]")
    if snapshot > 0 { out.write(",\"snapshot\":\(snapshot)") }
    out.write("}")
    loop.send(c, text: out.array)
  }

  func clientReceived(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {
    if raw {
      print(String(decoding: message, as: UTF8.self))
      fflush(nil)
      return
    }
    guard let value = JSONValue(parsing: message) else { return }
    switch value["type"]?.string {
    case "snapshot":
      for candle in value["candles"]?.array ?? [] { show("snapshot", candle) }
    case "error":
      Console.error("candled tail: \(value["code"]?.string ?? "error"): \(value["message"]?.string ?? "")")
      end(.unavailable)
    case let type?:
      if let candle = value["candle"] { show(type, candle) }
    case nil: break
    }
  }

  private func show(_ type: String, _ candle: JSONValue) {
    func text(_ key: String) -> String {
      switch candle[key] {
      case .number(let text): text
      case .string(let text): text
      default: "-"
      }
    }
    let time = candle["open_time"]?.integer.map(CandleDisplay.clock) ?? "-"
    let padded = type.padding(toLength: 9, withPad: " ", startingAt: 0)
    print(
      "\(padded) \(text("timeframe")) \(text("symbol")) \(time)  O \(text("open")) H \(text("high")) L \(text("low")) "
        + "C \(text("close"))  volume \(text("volume"))  ticks \(text("ticks"))  \(text("settled_by"))")
    // Whoever reads through a pipe wants it now.
    fflush(nil)
  }

  private func end(_ code: ExitCode) {
    self.code = code
    kill(getpid(), SIGTERM)
  }

  func clientClosed(_ c: ConnectionID, reason: String) {
    guard !isEnding else { return }
    Console.error("candled tail: the stream ended: \(reason)")
    end(.unavailable)
  }

  func clientFailed(_ c: ConnectionID, _ error: NetError) {
    Console.error("candled tail: \(error)")
    end(.unavailable)
  }

  func turn(_ loop: EventLoop) -> Wake { .at(nil) }

  // This loop serves nobody.
  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision {
    .reject(status: 404, body: [], contentType: "text/plain")
  }
  func opened(_ c: ConnectionID, _ request: UpgradeRequest) {}
  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {}
  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
  func closed(_ c: ConnectionID, code: UInt16?, reason: String) {}
  func request(_ r: RequestID, _ request: HTTPRequest) {}
}
