import CLibwebsockets

extension EventLoop {
  /// The socket of a server WebSocket takes bytes: many frames become one write.
  ///
  /// Raw (`LWS_WRITE_HTTP`) writes skip the library's framing. It calls here only with an empty backlog and with no pong or
  /// close pending; while a frame is cut, reading is off, so that none comes up.
  func writeFrames(_ connection: Connection, _ socket: OpaquePointer) -> Int32 {
    let start = writeBuffer + Int(CLWS_PRE)
    let buffer = UnsafeMutableRawBufferPointer(start: start, count: Self.writeCapacity)
    var turns = Self.writesPerTurn
    var result: Int32 = 0
    // A reader that is slow, or in the middle of a long frame and thus not listened to, is alive while it takes bytes.
    if connection.isBlocked {
      connection.isBlocked = false
      heard(connection)
    }
    while true {
      if connection.outgoing.isAtBoundary {
        if let frame = connection.closeWanted { return beginCloseWhileWriting(connection, socket, frame) }
        if connection.isClosing { return 0 }
        if connection.pingState == .wanted, !sendPing(connection, socket) { return -1 }
        if lws_partial_buffered(socket) != 0 { break }
      }
      guard turns > 0 else {
        lws_callback_on_writable(socket)
        break
      }
      turns -= 1
      let count = handler?.writable(connection.name, into: buffer) ?? 0
      guard count > 0 else { break }
      precondition(count <= buffer.count, "writable filled more than the buffer")
      connection.outgoing.advance(UnsafeRawBufferPointer(start: start, count: count))
      guard lws_write(socket, start.assumingMemoryBound(to: UInt8.self), count, LWS_WRITE_HTTP) >= 0 else {
        result = -1
        break
      }
      // The rest lies in the library's backlog; it asks for this callback again once that is out.
      if lws_partial_buffered(socket) != 0 {
        connection.isBlocked = true
        break
      }
    }
    pause(connection, .midFrame, !connection.outgoing.isAtBoundary)
    return result
  }

  private func sendPing(_ connection: Connection, _ socket: OpaquePointer) -> Bool {
    connection.pingState = .sent
    let start = (writeBuffer + Int(CLWS_PRE)).assumingMemoryBound(to: UInt8.self)
    start[0] = 0x80 | ServerFrame.Opcode.ping.rawValue
    // Not empty: the library does not tell of empty pongs.
    start[1] = 1
    start[2] = UInt8(ascii: "c")
    return lws_write(socket, start, 3, LWS_WRITE_HTTP) >= 0
  }

  /// Queues a text message of a client WebSocket.
  /// - Returns: `false` if the connection is not open, or the message does not fit (64 KiB a message, `maxOutbox` unsent in all).
  @discardableResult
  public func send(_ c: ConnectionID, text: [UInt8]) -> Bool {
    guard let connection = connections[c.raw], connection.stage == .clientWebSocket, !connection.isClosing,
      let dial = connection.dial, let socket = connection.socket,
      text.count <= Self.writeCapacity, dial.outboxBytes + text.count <= configuration.maxOutbox
    else { return false }
    dial.outbox.append(text)
    // An empty message costs too.
    dial.outboxBytes += max(text.count, 64)
    lws_callback_on_writable(socket)
    return true
  }

  func writeText(_ connection: Connection, _ socket: OpaquePointer) -> Int32 {
    if let frame = connection.closeWanted, connection.dial?.outbox.isEmpty ?? true, lws_partial_buffered(socket) == 0 {
      return beginCloseWhileWriting(connection, socket, frame)
    }
    guard let dial = connection.dial, !dial.outbox.isEmpty, lws_partial_buffered(socket) == 0 else { return 0 }
    let text = dial.outbox.removeFirst()
    dial.outboxBytes -= max(text.count, 64)
    let start = writeBuffer + Int(CLWS_PRE)
    text.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: start, count: text.count).copyMemory(from: $0) }
    guard lws_write(socket, start.assumingMemoryBound(to: UInt8.self), text.count, LWS_WRITE_TEXT) >= 0 else {
      return -1
    }
    if !dial.outbox.isEmpty || connection.closeWanted != nil { lws_callback_on_writable(socket) }
    return 0
  }
}
