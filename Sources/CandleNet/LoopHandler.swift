/// What an `EventLoop` calls. Everything is called on the loop thread, never concurrently, and must not block.
///
/// Calls back into the loop (`close`, `wantWrite`, `respond` …) are allowed everywhere.
/// Pointers are valid during the call only.
public protocol LoopHandler: AnyObject {
  /// A client asks for a WebSocket. Decide at once.
  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision
  /// An accepted upgrade is done; from here on `received`, `writable` and finally `closed` come for `c`.
  func opened(_ c: ConnectionID, _ request: UpgradeRequest)
  /// One whole message, fragments rejoined, at most `maxMessage` bytes; text is valid UTF-8. May be empty.
  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool)
  /// The socket of a server connection takes bytes, after `EventLoop.wantWrite(_:)`.
  ///
  /// Fill the front of `buffer` (64 KiB) with complete, unmasked server frames, as many as fit: all of it becomes one write.
  /// A frame that does not fit may be handed out in parts over several calls; bytes go out in the order given.
  /// Only split a frame longer than the buffer: while one is cut, nothing is read from the peer
  /// (a pong in the middle of a frame would break the stream).
  /// - Returns: bytes filled; 0: nothing (more) to send, ask again only after the next `wantWrite`.
  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int
  /// The connection is gone; `c` means nothing any more.
  /// - Parameters:
  ///   - code: of the close frame that ended it, from either side; `nil` if the TCP connection just ended or was cut.
  ///   - reason: the text of that frame, `""` if none.
  func closed(_ c: ConnectionID, code: UInt16?, reason: String)

  /// An HTTP request; answer with `EventLoop.respond(_:_:)`, now or later.
  func request(_ r: RequestID, _ request: HTTPRequest)

  func clientOpened(_ c: ConnectionID)
  /// As `received`, from a server this process dialled.
  func clientReceived(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool)
  /// An open client connection ended. `reason` is for a log: close code and text, or `connection lost`.
  func clientClosed(_ c: ConnectionID, reason: String)
  /// A client connection did not come to be. Never called from within `EventLoop.connect(_:)`.
  func clientFailed(_ c: ConnectionID, _ error: NetError)

  /// Somebody reached a bound of `NetConfiguration`, and was refused or cut.
  func limitReached(_ limit: NetLimit, _ peer: PeerAddress)
  /// One service pass is over: every socket that had something was read once, posts were run.
  /// - Returns: when to call again at the latest.
  func turn(_ loop: EventLoop) -> Wake
  /// The loop ends after this call. All connections were reported closed.
  func finished()
}

/// When the loop wants its next turn. It comes earlier whenever a socket or a post wakes the loop.
public enum Wake: Hashable, Sendable {
  /// A CLOCK_BOOTTIME time in nanoseconds; `nil`: no wake wanted.
  case at(Int64?)
  /// Make a pass without waiting, then call `turn` again: repeat while `EventLoop.receivedInPass` to read sockets dry.
  case again
}

/// The bounds of `NetConfiguration` that a peer can run into.
public enum NetLimit: Hashable, Sendable {
  case connections, connectionsPerAddress, handshakeTime, head, message
}

extension LoopHandler {
  public func limitReached(_ limit: NetLimit, _ peer: PeerAddress) {}
  public func clientOpened(_ c: ConnectionID) {}
  public func clientReceived(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {}
  public func clientClosed(_ c: ConnectionID, reason: String) {}
  public func clientFailed(_ c: ConnectionID, _ error: NetError) {}
  public func finished() {}
}
