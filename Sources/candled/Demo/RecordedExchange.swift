import CandleCore
import CandleEngine
import CandleNet
import CandleWire

/// An exchange on this machine that replays a recording over WebSocket, faster than life.
///
/// Each connection to `/ticks` gets the recording from where it stands; it does not begin before somebody listens.
final class RecordedExchange: LoopHandler, @unchecked Sendable {
  let loop: EventLoop
  private let recording: Recording
  /// Recorded milliseconds a millisecond of life.
  private let speed: Double
  private var begun: Int64?
  private var next = 0
  private var listeners: [ConnectionID: ReaderBuffer] = [:]
  /// Called once on the loop's thread when the last line was sent.
  private let finishedSending: @Sendable () -> Void
  private var saidFinished = false

  private final class ReaderBuffer {
    var frames: [Frame] = []
    var offset = 0
  }

  init(_ recording: Recording, speed: Double, finished: @escaping @Sendable () -> Void) throws {
    self.recording = recording
    self.speed = speed
    finishedSending = finished
    loop = try EventLoop(NetConfiguration())
  }

  var url: String { "ws://127.0.0.1:\(loop.boundPort)/ticks" }

  func start() { loop.start(handler: self) }

  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision {
    request.path == "/ticks"
      ? .accept(role: .subscriber) : .reject(status: 404, body: [], contentType: "text/plain")
  }

  func opened(_ c: ConnectionID, _ request: UpgradeRequest) {
    listeners[c] = ReaderBuffer()
    if begun == nil { begun = MachineClock.now().monotonic }
  }

  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {}

  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let waiting = listeners[c], let start = buffer.baseAddress else { return 0 }
    var used = 0
    var done = 0
    while done < waiting.frames.count, used + waiting.frames[done].bytes.count <= buffer.count {
      let bytes = waiting.frames[done].bytes
      (start + used).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
      used += bytes.count
      done += 1
    }
    waiting.frames.removeFirst(done)
    return used
  }

  func closed(_ c: ConnectionID, code: UInt16?, reason: String) { listeners[c] = nil }

  func request(_ r: RequestID, _ request: HTTPRequest) {
    loop.respond(r, HTTPResponse(status: 404, contentType: "text/plain", body: []))
  }

  func turn(_ loop: EventLoop) -> Wake {
    guard let begun, let first = recording.lines.first else { return .at(nil) }
    let now = MachineClock.now().monotonic
    let reached = first.time + Milliseconds(Double(now - begun) / 1e6 * speed)
    while next < recording.lines.count, recording.lines[next].time <= reached {
      let frame = recording.lines[next].text.withUnsafeBytes { Frame(text: $0) }
      for (listener, waiting) in listeners {
        waiting.frames.append(frame)
        loop.wantWrite(listener)
      }
      next += 1
    }
    if next == recording.lines.count {
      if !saidFinished {
        saidFinished = true
        finishedSending()
      }
      return .at(nil)
    }
    let due = Double(recording.lines[next].time - first.time) / speed
    return .at(begun + Int64(due * 1e6) + 1_000)
  }
}
