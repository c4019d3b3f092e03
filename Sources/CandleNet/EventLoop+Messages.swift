import CLibwebsockets

extension EventLoop {
  /// One piece of a message. A message that came in one piece is passed on where it lies.
  func receive(_ connection: Connection, _ socket: OpaquePointer, _ piece: UnsafeRawBufferPointer) -> Int32 {
    receivedInPass = true
    guard !connection.isClosing else { return 0 }
    heard(connection)
    let isFinal = lws_is_final_fragment(socket) != 0
    let isText = lws_frame_is_binary(socket) == 0
    let left = isFinal ? 0 : lws_remaining_packet_payload(socket)
    let limit = connection.dial?.maxMessage ?? configuration.maxMessage
    let gathered = connection.assembly.bytes.count + piece.count
    // The announced rest counts too: no need to take in what will be refused.
    guard gathered <= limit, left <= limit - gathered else {
      if connection.isServer { handler?.limitReached(.message, connection.peer) }
      return refuse(connection, 1009, "message too big")
    }
    if isFinal, !connection.assembly.isOpen {
      return deliver(connection, socket, piece, isText: isText)
    }
    connection.assembly.append(piece, expecting: left)
    guard isFinal else { return 0 }
    return connection.assembly.take().withUnsafeBytes { deliver(connection, socket, $0, isText: isText) }
  }

  private func deliver(
    _ connection: Connection, _ socket: OpaquePointer, _ message: UnsafeRawBufferPointer, isText: Bool
  ) -> Int32 {
    if isText, !UTF8Text.isValid(message) { return refuse(connection, 1007, "text is not UTF-8") }
    if connection.isServer {
      handler?.received(connection.name, message, isText: isText)
    } else {
      handler?.clientReceived(connection.name, message, isText: isText)
    }
    return 0
  }

  /// Closes from within a receive callback, by way of the next writable one.
  ///
  /// A result of -1 would close at once and leave the library's receive buffer full: until the peer has answered the close, the
  /// library takes what it sends on, and writes it behind that buffer (`ws-parser` of 4.1.6).
  private func refuse(_ connection: Connection, _ code: UInt16, _ reason: String) -> Int32 {
    close(connection.name, code: code, reason: reason, within: .seconds(5))
    return 0
  }

  /// Hands the close frame to the library, from a writable callback with nothing in its backlog.
  ///
  /// Returning -1 there would do under poll, but this build of the library closes twice in a uv loop ("repeat test"), and the
  /// second time drops the close frame. A synchronous close with a reason set only starts the closing handshake.
  func beginCloseWhileWriting(_ connection: Connection, _ socket: OpaquePointer, _ frame: Connection.CloseFrame)
    -> Int32
  {
    connection.isClosing = true
    connection.closeWanted = nil
    connection.closeSeen = frame
    // A control frame holds 125 bytes: 2 of code, 123 of reason, cut between characters.
    var reason = Array(frame.reason.utf8.prefix(123))
    while !reason.withUnsafeBytes(UTF8Text.isValid) { reason.removeLast() }
    lws_close_reason(socket, lws_close_status(rawValue: UInt32(frame.code)), &reason, reason.count)
    lws_set_timeout(socket, PENDING_TIMEOUT_CLOSE_SEND, CLWS_TO_KILL_SYNC)
    return 0
  }

  /// The peer is alive. The time of the pass will do: reading the clock a frame would cost as much as the frame.
  func heard(_ connection: Connection) {
    connection.pingState = .idle
    connection.lastActivity = passTime
  }

  // MARK: - Handler side

  /// Asks for a `LoopHandler.writable` call as soon as the socket takes bytes. Cheap to call again and again.
  public func wantWrite(_ c: ConnectionID) {
    guard let connection = connections[c.raw], connection.stage == .webSocket, !connection.isClosing,
      let socket = connection.socket
    else { return }
    lws_callback_on_writable(socket)
  }

  /// Stops reading from a connection, so that TCP slows the peer down. At most one receive buffer of it is still held.
  public func pauseReading(_ c: ConnectionID) {
    if let connection = connections[c.raw] { pause(connection, .handler, true) }
  }

  /// Takes `pauseReading` back.
  public func resumeReading(_ c: ConnectionID) {
    if let connection = connections[c.raw] { pause(connection, .handler, false) }
  }

  func pause(_ connection: Connection, _ cause: Connection.Pauses, _ on: Bool) {
    let before = connection.pauses.isEmpty
    if on { connection.pauses.insert(cause) } else { connection.pauses.remove(cause) }
    guard connection.pauses.isEmpty != before, let socket = connection.socket,
      connection.stage == .webSocket || connection.stage == .clientWebSocket
    else { return }
    lws_rx_flow_control(socket, before ? 0 : 1)
  }

  /// Where a connection comes from; nil once it is over.
  public func peer(of c: ConnectionID) -> PeerAddress? { connections[c.raw]?.peer }

  /// Closes a WebSocket with a close frame, and cuts the TCP connection if the peer has not let it end `within` that time.
  ///
  /// Bytes already given to the socket go first. Frames the handler still holds do not go out, except the rest of a frame that
  /// was handed out in part: `writable` is asked for it, and the close frame follows at its end.
  /// Nothing more is received. `closed` (or `clientClosed`) follows in every case.
  /// - Parameters:
  ///   - code: 1000 ... 1014 as RFC 6455 section 7.4 allows, or 3000 ... 4999.
  ///   - reason: cut to 123 bytes.
  ///   - within: the library cuts after 5 s without progress of its own, so longer values add nothing once the frame is out.
  public func close(_ c: ConnectionID, code: UInt16, reason: String, within: Duration) {
    close(c, code: code, reason: reason, by: LoopClock.now() &+ min(within.nanoseconds, 1 << 60))
  }

  func close(_ c: ConnectionID, code: UInt16, reason: String, by instant: Int64) {
    guard let connection = connections[c.raw] else { return }
    switch connection.stage {
    case .webSocket, .clientWebSocket:
      guard connection.closeWanted == nil, let socket = connection.socket else { return }
      if connection.isClosing {
        if cuts[connection.id].map({ instant < $0 }) ?? true { arm(connection, at: instant) }
        return
      }
      connection.closeWanted = .init(code: code, reason: reason)
      connection.isClosing = true
      arm(connection, at: instant)
      lws_callback_on_writable(socket)
    case .dialling:
      // Given up before it was open: there is nobody to close politely, and nothing to report.
      connection.isReported = true
      connection.dial = nil
      if connection.socket == nil { forget(connection) } else { cut(connection) }
    case .http, .clientHTTP: return
    }
  }
}
