import CandleNet

/// Sends every message back as it came: what Autobahn's fuzzing client wants of a server (`scripts/test-autobahn`).
final class Echo: LoopHandler {
  private let loop: EventLoop
  /// What each connection is still owed: whole frames, and how much of the first has gone.
  private var owed: [ConnectionID: (frames: [[UInt8]], sent: Int)] = [:]

  init(_ loop: EventLoop) { self.loop = loop }

  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision { .accept(role: .producer) }
  func opened(_ c: ConnectionID, _ request: UpgradeRequest) { owed[c] = ([], 0) }

  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {
    var frame: [UInt8] = []
    ServerFrame.append(isText ? .text : .binary, message, to: &frame)
    owed[c]?.frames.append(frame)
    loop.wantWrite(c)
  }

  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard var state = owed[c] else { return 0 }
    var used = 0
    while used < buffer.count, let frame = state.frames.first {
      let piece = frame[state.sent...].prefix(buffer.count - used)
      // Only a frame that is longer than the buffer is handed out in parts.
      if used > 0, piece.count < frame.count - state.sent { break }
      UnsafeMutableRawBufferPointer(rebasing: buffer[used...]).copyBytes(from: piece)
      used += piece.count
      state.sent += piece.count
      if state.sent == frame.count {
        state.frames.removeFirst()
        state.sent = 0
      }
    }
    owed[c] = state
    if !state.frames.isEmpty { loop.wantWrite(c) }
    return used
  }

  func closed(_ c: ConnectionID, code: UInt16?, reason: String) { owed[c] = nil }

  func request(_ r: RequestID, _ request: HTTPRequest) {
    loop.respond(r, HTTPResponse(status: 404, contentType: "text/plain", body: []))
  }

  func turn(_ loop: EventLoop) -> Wake { .at(nil) }
}
