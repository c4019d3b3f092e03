/// One socket of the loop, from accept or dial to its end. Loop thread only.
///
/// The library keeps an unretained pointer to it as the opaque data of an accepted or opened socket; `EventLoop.connections`
/// holds the reference until that socket is destroyed.
final class Connection {
  enum Stage {
    /// Server side, before or between requests.
    case http
    case webSocket
    case dialling
    case clientWebSocket
    case clientHTTP
  }

  struct CloseFrame {
    let code: UInt16
    let reason: String
  }

  let id: UInt64
  var socket: OpaquePointer?
  var stage: Stage
  let peer: PeerAddress

  /// The close frame asked for by `EventLoop.close`, until it is under way.
  var closeWanted: CloseFrame?
  /// The close frame that ends this connection, whoever sent it.
  var closeSeen: CloseFrame?
  /// The handler was told of the end, or never of the beginning.
  var isReported = true
  /// Nothing received from here on counts: a close is under way.
  var isClosing = false

  var assembly = MessageAssembly()
  var outgoing = FrameBoundary()
  var pauses: Pauses = []
  /// CLOCK_BOOTTIME nanoseconds of the last bytes in, or bytes taken by the peer.
  var lastActivity: Int64 = 0
  var pingState = PingState.idle
  /// The last write did not go out at once.
  var isBlocked = false

  var upgrade: UpgradeRequest?
  var answer: HTTPAnswer?
  var request: RequestID?
  /// A whole request has come; until then the handshake's time runs.
  var hasAsked = false
  var answerOmitsBody = false
  /// The request has a body, which nobody reads.
  var closesAfterAnswer = false
  var dial: Dial?

  init(id: UInt64, stage: Stage, peer: PeerAddress) {
    self.id = id
    self.stage = stage
    self.peer = peer
  }

  var isServer: Bool { stage == .http || stage == .webSocket }
  var name: ConnectionID { ConnectionID(raw: id) }

  struct Pauses: OptionSet {
    let rawValue: UInt8
    /// `EventLoop.pauseReading`.
    static let handler = Pauses(rawValue: 1)
    /// A frame is handed out in part: a pong must not get in between.
    static let midFrame = Pauses(rawValue: 2)
  }

  enum PingState {
    case idle, wanted, sent
  }
}

/// Rejoins the pieces of a message. Holds a buffer only while a message is in pieces.
struct MessageAssembly {
  private(set) var bytes: [UInt8] = []
  private(set) var isOpen = false

  mutating func append(_ piece: UnsafeRawBufferPointer, expecting more: Int) {
    if !isOpen, more > 0 { bytes.reserveCapacity(piece.count + more) }
    isOpen = true
    bytes.append(contentsOf: piece)
  }

  mutating func take() -> [UInt8] {
    let whole = bytes
    bytes = []
    isOpen = false
    return whole
  }
}

/// An HTTP answer on its way out.
struct HTTPAnswer {
  let head: [UInt8]
  let body: [UInt8]
  var headSent = false
  var bodySent = 0

  var isDone: Bool { headSent && bodySent == body.count }

  /// Fills the front of `buffer` with what comes next.
  mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    var used = 0
    if !headSent {
      buffer.copyBytes(from: head)
      used = head.count
      headSent = true
    }
    let piece = min(buffer.count - used, body.count - bodySent)
    if piece > 0 {
      body.withUnsafeBytes { bytes in
        (buffer.baseAddress! + used).copyMemory(from: bytes.baseAddress! + bodySent, byteCount: piece)
      }
      bodySent += piece
      used += piece
    }
    return used
  }
}
