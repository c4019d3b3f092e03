import CLibwebsockets

/// The one callback of all protocols. The library wants a plain C function; the loop comes from the context.
func serviceCallback(
  _ socket: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
  guard let socket, let owner = lws_context_user(lws_get_context(socket)) else { return 0 }
  let loop = Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue()
  switch reason {
  case LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE:
    guard let connection = loop.connection(of: socket, user) else { return 0 }
    return loop.receive(connection, socket, UnsafeRawBufferPointer(start: input, count: length))
  case LWS_CALLBACK_SERVER_WRITEABLE:
    guard let connection = loop.connection(of: socket, user) else { return 0 }
    return loop.writeFrames(connection, socket)
  case LWS_CALLBACK_CLIENT_WRITEABLE:
    guard let connection = loop.connection(of: socket, user) else { return 0 }
    return loop.writeText(connection, socket)
  case LWS_CALLBACK_RECEIVE_PONG:
    if let connection = loop.connection(of: socket, user) { loop.heard(connection) }
    return 0
  case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
    // Here `user` is OpenSSL's state; a zero length says that the certificate was found wanting.
    if length == 0 { loop.certificateRefused(lws_wsi_user(socket), X509_STORE_CTX_get_error(OpaquePointer(user))) }
    return 0
  case LWS_CALLBACK_RAW_RX_FILE:
    loop.timer.expired()
    return 0
  case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
    return loop.admits(descriptor: Int32(truncatingIfNeeded: Int(bitPattern: input))) ? 0 : 1
  case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
    // Called for dialled sockets too; those carry user data.
    if user == nil { loop.accepted(socket) }
    return 0
  case LWS_CALLBACK_WSI_DESTROY:
    if let connection = loop.connection(of: socket, user) { loop.destroyed(connection, socket) }
    return 0
  case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLIENT_CLOSED:
    if let connection = loop.connection(of: socket, user) { loop.reportEnd(connection) }
    return 0
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    if let connection = loop.connection(of: socket, user) {
      loop.peerCloses(connection, UnsafeRawBufferPointer(start: input, count: length))
    }
    return 0
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_ESTABLISHED, LWS_CALLBACK_HTTP, LWS_CALLBACK_HTTP_WRITEABLE,
    LWS_CALLBACK_HTTP_BODY_COMPLETION, LWS_CALLBACK_CLOSED_HTTP:
    guard let connection = loop.connection(of: socket, user) else { return 0 }
    return loop.serveHTTP(connection, socket, reason, input)
  default:
    guard let connection = loop.connection(of: socket, user), connection.dial != nil else { return 0 }
    return loop.serveClient(connection, socket, reason, input, length)
  }
}

extension EventLoop {
  /// The connection that owns a socket of the library.
  ///
  /// A dialled socket carries the number of its connection as user data until it is open: the connection may be given up, or go
  /// on to another address, before the library lets go of the socket.
  func connection(of socket: OpaquePointer, _ user: UnsafeMutableRawPointer?) -> Connection? {
    if let owner = lws_get_opaque_user_data(socket) {
      return Unmanaged<Connection>.fromOpaque(owner).takeUnretainedValue()
    }
    return user.flatMap { connections[UInt64(UInt(bitPattern: $0))] }
  }

  /// Counts are checked at accept, before TLS costs anything.
  func admits(descriptor: Int32) -> Bool {
    guard stopping == nil else { return false }
    let peer = PeerAddress(socket: descriptor)
    guard serverCount < configuration.maxConnections else {
      handler?.limitReached(.connections, peer)
      return false
    }
    guard peers[peer, default: 0] < configuration.maxConnectionsPerAddress else {
      handler?.limitReached(.connectionsPerAddress, peer)
      return false
    }
    return true
  }

  func accepted(_ socket: OpaquePointer) {
    let connection = Connection(id: newID(), stage: .http, peer: PeerAddress(socket: lws_get_socket_fd(socket)))
    connection.socket = socket
    connections[connection.id] = connection
    serverCount += 1
    peers[connection.peer, default: 0] += 1
    lws_set_opaque_user_data(socket, Unmanaged.passUnretained(connection).toOpaque())
    arm(connection, within: configuration.handshakeTimeout)
  }

  /// The library frees the socket. A client that has further addresses to try stays.
  func destroyed(_ connection: Connection, _ socket: OpaquePointer) {
    guard connection.socket == socket else { return }
    connection.socket = nil
    reportEnd(connection)
    if connection.isServer {
      serverCount -= 1
      peers[connection.peer, default: 1] -= 1
      if peers[connection.peer] == 0 { peers[connection.peer] = nil }
      if connection.stage == .http, !connection.hasAsked, LibraryLog.tookLongHead() {
        handler?.limitReached(.head, connection.peer)
      }
    } else if connection.stage == .dialling || connection.stage == .clientHTTP, let dial = connection.dial {
      fail(connection, .closedByPeer, "closed before it was open", dial: dial)
    }
    forget(connection)
  }

  func forget(_ connection: Connection) {
    cuts[connection.id] = nil
    if let request = connection.request { requests[request.raw] = nil }
    connections[connection.id] = nil
  }

  /// Tells the handler once that an open WebSocket ended.
  func reportEnd(_ connection: Connection) {
    guard !connection.isReported else { return }
    connection.isReported = true
    connection.isClosing = true
    let seen = connection.closeSeen
    if connection.isServer {
      handler?.closed(connection.name, code: seen?.code, reason: seen?.reason ?? "")
    } else {
      handler?.clientClosed(connection.name, reason: seen.map { "\($0.code) \($0.reason)" } ?? "connection lost")
    }
  }

  func peerCloses(_ connection: Connection, _ payload: UnsafeRawBufferPointer) {
    if connection.closeSeen == nil {
      let code = payload.count >= 2 ? UInt16(payload[0]) << 8 | UInt16(payload[1]) : 1005
      connection.closeSeen = .init(code: code, reason: String(decoding: payload.dropFirst(2), as: UTF8.self))
    }
    connection.isClosing = true
    // The answer to the close frame, and the end of TCP, get this long.
    if cuts[connection.id] == nil { arm(connection, within: .seconds(5)) }
  }
}
