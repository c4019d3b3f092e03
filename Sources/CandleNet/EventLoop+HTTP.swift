import CLibwebsockets

extension EventLoop {
  /// The server side up to the open WebSocket, and plain HTTP.
  func serveHTTP(
    _ connection: Connection, _ socket: OpaquePointer, _ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?
  ) -> Int32 {
    switch reason {
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirmUpgrade(connection, socket, input)
    case LWS_CALLBACK_ESTABLISHED: return established(connection, socket)
    case LWS_CALLBACK_HTTP: return requested(connection, socket)
    case LWS_CALLBACK_HTTP_WRITEABLE: return writeAnswer(connection, socket)
    case LWS_CALLBACK_CLOSED_HTTP:
      if let request = connection.request { requests[request.raw] = nil }
      connection.request = nil
      connection.answer = nil
      return 0
    default: return 0
    }
  }

  // MARK: - Upgrade

  private func confirmUpgrade(_ connection: Connection, _ socket: OpaquePointer, _ input: UnsafeMutableRawPointer?)
    -> Int32
  {
    receivedInPass = true
    guard let token = input?.assumingMemoryBound(to: CChar.self), String(cString: token).lowercased() == "websocket"
    else {
      return refuseUpgrade(connection, socket, 400, Array("unsupported upgrade\n".utf8), "text/plain")
    }
    // The library drops a client that offers only subprotocols it does not know; say why instead.
    guard header(socket, WSI_TOKEN_PROTOCOL) == nil else {
      return refuseUpgrade(connection, socket, 400, Array("no subprotocol is supported\n".utf8), "text/plain")
    }
    let head = requestHead(connection, socket)
    let request = UpgradeRequest(
      path: head.path, query: head.query, origin: head.origin, authorization: head.authorization,
      userAgent: head.userAgent, peer: head.peer)
    switch stopping == nil ? handler?.upgradeRequested(request) : nil {
    case .accept(let role):
      connection.upgrade = request
      clws_set_rx_buffer_size(socket, role.receiveBuffer)
      return 0
    case .reject(let status, let body, let contentType, let headers):
      return refuseUpgrade(connection, socket, status, body, contentType, headers)
    case nil:
      return refuseUpgrade(connection, socket, 503, Array("stopping\n".utf8), "text/plain")
    }
  }

  /// Answers within the callback; a positive result tells the library that it was.
  private func refuseUpgrade(
    _ connection: Connection, _ socket: OpaquePointer, _ status: Int, _ body: [UInt8], _ contentType: String,
    _ headers: [HTTPHeader] = []
  ) -> Int32 {
    connection.hasAsked = true
    let response = HTTPResponse(status: status, contentType: contentType, headers: headers, body: body)
    // The library does not keep a connection whose upgrade came to nothing.
    var answer = HTTPAnswer(head: response.head(closes: true), body: body)
    let start = writeBuffer + Int(CLWS_PRE)
    while !answer.isDone {
      let count = answer.fill(UnsafeMutableRawBufferPointer(start: start, count: Self.writeCapacity))
      guard lws_write(socket, start.assumingMemoryBound(to: UInt8.self), count, LWS_WRITE_HTTP) >= 0 else { return -1 }
    }
    arm(connection, within: configuration.responseTimeout)
    return 1
  }

  private func established(_ connection: Connection, _ socket: OpaquePointer) -> Int32 {
    clws_set_rx_buffer_size(socket, ProtocolTable.receiveBuffer)
    guard let request = connection.upgrade else { return -1 }
    connection.upgrade = nil
    connection.stage = .webSocket
    connection.isReported = false
    connection.lastActivity = LoopClock.now()
    disarm(connection)
    handler?.opened(connection.name, request)
    return 0
  }

  // MARK: - Requests

  private func requested(_ connection: Connection, _ socket: OpaquePointer) -> Int32 {
    receivedInPass = true
    let request = requestHead(connection, socket)
    let id = RequestID(raw: newID())
    connection.request = id
    connection.hasAsked = true
    connection.answer = nil
    connection.answerOmitsBody = request.method == .head
    connection.closesAfterAnswer =
      lws_hdr_total_length(socket, WSI_TOKEN_HTTP_CONTENT_LENGTH) > 0
      || lws_hdr_total_length(socket, WSI_TOKEN_HTTP_TRANSFER_ENCODING) > 0
    requests[id.raw] = connection
    arm(connection, within: configuration.responseTimeout)
    // The library's own limit is for a request whose body does not come.
    lws_set_timeout(socket, NO_PENDING_TIMEOUT, 0)
    handler?.request(id, request)
    return 0
  }

  /// Answers a request, from the request call or later. Ignored when the client is gone or has its answer.
  public func respond(_ r: RequestID, _ response: HTTPResponse) {
    guard let connection = requests.removeValue(forKey: r.raw), let socket = connection.socket else { return }
    connection.answer = HTTPAnswer(
      head: response.head(closes: connection.closesAfterAnswer), body: connection.answerOmitsBody ? [] : response.body)
    lws_callback_on_writable(socket)
  }

  private func writeAnswer(_ connection: Connection, _ socket: OpaquePointer) -> Int32 {
    guard connection.answer != nil else { return 0 }
    let start = writeBuffer + Int(CLWS_PRE)
    let buffer = UnsafeMutableRawBufferPointer(start: start, count: Self.writeCapacity)
    for _ in 0..<Self.writesPerTurn where !connection.answer!.isDone {
      guard lws_partial_buffered(socket) == 0 else { break }
      let count = connection.answer!.fill(buffer)
      guard lws_write(socket, start.assumingMemoryBound(to: UInt8.self), count, LWS_WRITE_HTTP) >= 0 else { return -1 }
    }
    arm(connection, within: configuration.responseTimeout)
    guard connection.answer!.isDone else {
      lws_callback_on_writable(socket)
      return 0
    }
    connection.answer = nil
    connection.request = nil
    if connection.closesAfterAnswer || stopping != nil { return -1 }
    // The next request of a kept connection has the library's keep-alive time, then this cut as a backstop.
    arm(connection, within: configuration.keepAlive + configuration.handshakeTimeout)
    return lws_http_transaction_completed(socket) != 0 ? -1 : 0
  }
}

extension HTTPResponse {
  /// Status line and headers. Characters that would end a header line are dropped from names and values.
  func head(closes: Bool = false) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(Self.phrase(status))\r\n"
    if !contentType.isEmpty { text += "Content-Type: \(Self.clean(contentType))\r\n" }
    for header in headers { text += "\(Self.clean(header.name)): \(Self.clean(header.value))\r\n" }
    // Of a 304 it would have to be the length that is not sent (RFC 9110, section 8.6).
    if status != 304 { text += "Content-Length: \(body.count)\r\n" }
    if closes { text += "Connection: close\r\n" }
    text += "\r\n"
    return Array(text.utf8)
  }

  static func clean(_ text: String) -> String {
    guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return text }
    return String(decoding: text.utf8.filter { $0 >= 0x20 && $0 != 0x7f }, as: UTF8.self)
  }

  private static func phrase(_ status: Int) -> String {
    switch status {
    case 200: "OK"
    case 204: "No Content"
    case 304: "Not Modified"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 429: "Too Many Requests"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    default: "Status"
    }
  }
}
