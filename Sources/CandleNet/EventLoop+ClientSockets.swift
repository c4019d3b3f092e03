import CLibwebsockets

extension EventLoop {
  /// Callbacks of dialled sockets, from the handshake on.
  func serveClient(
    _ connection: Connection, _ socket: OpaquePointer, _ reason: lws_callback_reasons,
    _ input: UnsafeMutableRawPointer?, _ length: Int
  ) -> Int32 {
    guard let dial = connection.dial else { return 0 }
    switch reason {
    case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: return appendHeaders(dial, socket, input, length)
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
      let bytes = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
      let text = String(decoding: bytes.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
      dialFailed(connection, socket, text.isEmpty ? "the connection failed" : text)
      return 0
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
      own(connection, socket)
      connection.stage = .clientWebSocket
      connection.isReported = false
      disarm(connection)
      handler?.clientOpened(connection.name)
      return 0
    case LWS_CALLBACK_ESTABLISHED_CLIENT_HTTP:
      // Also called for a WebSocket's 101.
      guard case .get(let maxBody, _) = dial.purpose else { return 0 }
      own(connection, socket)
      connection.stage = .clientHTTP
      dial.status = Int(lws_http_client_http_response(socket))
      if let text = header(socket, WSI_TOKEN_HTTP_CONTENT_LENGTH), let size = Int(text), size > maxBody {
        fail(connection, .tooLarge, "\(size) bytes announced, \(maxBody) allowed", dial: dial)
        return -1
      }
      return 0
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP: return readBody(socket)
    case LWS_CALLBACK_RECEIVE_CLIENT_HTTP_READ: return takeBody(connection, dial, input, length)
    case LWS_CALLBACK_COMPLETED_CLIENT_HTTP:
      succeed(connection, dial)
      return -1
    case LWS_CALLBACK_CLOSED_CLIENT_HTTP:
      // An answer without a length ends with the connection.
      if connection.stage == .clientHTTP { succeed(connection, dial) }
      return 0
    default: return 0
    }
  }

  /// From here on the connection lives until the library destroys the socket.
  private func own(_ connection: Connection, _ socket: OpaquePointer) {
    connection.socket = socket
    lws_set_opaque_user_data(socket, Unmanaged.passUnretained(connection).toOpaque())
  }

  private func appendHeaders(_ dial: Dial, _ socket: OpaquePointer, _ input: UnsafeMutableRawPointer?, _ room: Int)
    -> Int32
  {
    guard let cursor = input?.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self), let start = cursor.pointee
    else {
      return 0
    }
    dial.isRequestSent = true
    var text = ""
    for header in [(name: "User-Agent", value: configuration.userAgent)] + dial.headers {
      text += "\(HTTPResponse.clean(header.name)): \(HTTPResponse.clean(header.value))\r\n"
    }
    let bytes = Array(text.utf8)
    guard bytes.count < room else { return -1 }
    start.update(from: bytes, count: bytes.count)
    cursor.pointee = start + bytes.count
    return 0
  }

  private func readBody(_ socket: OpaquePointer) -> Int32 {
    let start = (writeBuffer + Int(CLWS_PRE)).assumingMemoryBound(to: CChar.self)
    var cursor: UnsafeMutablePointer<CChar>? = start
    var room = Int32(Self.writeCapacity)
    return lws_http_client_read(socket, &cursor, &room) < 0 ? -1 : 0
  }

  private func takeBody(_ connection: Connection, _ dial: Dial, _ input: UnsafeMutableRawPointer?, _ length: Int)
    -> Int32
  {
    receivedInPass = true
    guard dial.body.count + length <= dial.maxMessage else {
      fail(connection, .tooLarge, "more than \(dial.maxMessage) bytes", dial: dial)
      return -1
    }
    dial.body.append(contentsOf: UnsafeRawBufferPointer(start: input, count: length))
    return 0
  }

  private func succeed(_ connection: Connection, _ dial: Dial) {
    guard case .get(_, let completion) = dial.purpose, connection.dial != nil else { return }
    connection.dial = nil
    disarm(connection)
    completion(.success(HTTPClientResponse(status: dial.status, body: dial.body)))
  }
}
