import CLibwebsockets
import Glibc

extension EventLoop {
  /// The loop. Order of a pass: wait, read and write every ready socket, posts, due cuts, `turn`.
  func serve() {
    var waits = true
    while !isFinished {
      receivedInPass = false
      if let uv {
        uv.pass(waits: waits)
      } else if lws_service(context, waits ? 0 : -1) < 0 {
        break
      }
      for work in inbox.drain() { work() }
      let now = LoopClock.now()
      passTime = now
      if let due = nextCut, now >= due { cutOverdue(now) }
      if let due = nextPingSweep, now >= due { sweepIdle(now) }
      if stopping != nil { continueStop(now) }
      guard let handler, !isFinished else { break }
      switch handler.turn(self) {
      case .again: waits = false
      case .at(let wanted):
        waits = true
        timer.arm([wanted, nextCut, nextPingSweep, stopping?.deadline].compactMap { $0 }.min())
      }
    }
    finish()
  }

  private func finish() {
    inbox.close()
    isFinished = true
    // Reports what is still open through the usual callbacks.
    destroyContext()
    for connection in Array(connections.values) {
      if let dial = connection.dial, connection.stage != .clientWebSocket {
        fail(connection, .stopped, "the loop ended", dial: dial)
      }
    }
    connections = [:]
    requests = [:]
    handler?.finished()
    handler = nil
  }

  // MARK: - Cuts

  /// Cuts `connection` at `instant` unless `disarm` or a later `arm` comes first.
  func arm(_ connection: Connection, at instant: Int64) {
    cuts[connection.id] = instant
    if nextCut.map({ instant < $0 }) ?? true { nextCut = instant }
  }

  func arm(_ connection: Connection, within duration: Duration) {
    arm(connection, at: LoopClock.now() &+ min(duration.nanoseconds, 1 << 60))
  }

  func disarm(_ connection: Connection) {
    cuts[connection.id] = nil
  }

  private func cutOverdue(_ now: Int64) {
    var next: Int64?
    var due: [UInt64] = []
    for (id, instant) in cuts {
      if instant <= now { due.append(id) } else { next = min(next ?? instant, instant) }
    }
    // Many deadlines close together are served in one go.
    nextCut = next.map { max($0, now + 5_000_000) }
    for id in due {
      cuts[id] = nil
      guard let connection = connections[id] else { continue }
      if let dial = connection.dial, connection.stage == .dialling || connection.stage == .clientHTTP {
        fail(connection, .timedOut, "no answer in time", dial: dial)
      }
      if connection.stage == .http, !connection.hasAsked { handler?.limitReached(.handshakeTime, connection.peer) }
      cut(connection)
    }
  }

  /// Ends the TCP connection now; nothing that is still queued goes out.
  func cut(_ connection: Connection) {
    connection.isClosing = true
    guard let socket = connection.socket else { return }
    // Without lingering the kernel drops its send buffer too, and a peer that never reads cannot hold it.
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(lws_get_socket_fd(socket), SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    lws_set_timeout(socket, PENDING_TIMEOUT_KILLED_BY_PARENT, CLWS_TO_KILL_ASYNC)
  }

  // MARK: - Idle pings

  /// Once a second: a server connection that said nothing for the interval gets a ping, and is cut if it stays silent.
  /// The library's own validity ping is off: it could land inside a frame that is handed out in parts.
  private func sweepIdle(_ now: Int64) {
    guard let policy = configuration.idlePing else { return }
    nextPingSweep = now + 1_000_000_000
    let interval = max(policy.interval.nanoseconds, 1_000_000_000)
    let timeout = policy.timeout.nanoseconds
    for connection in Array(connections.values) where connection.stage == .webSocket && !connection.isClosing {
      let silent = now - connection.lastActivity
      switch connection.pingState {
      case .idle where silent >= interval:
        connection.pingState = .wanted
        if let socket = connection.socket { lws_callback_on_writable(socket) }
      case .wanted where silent >= interval &+ timeout, .sent where silent >= interval &+ timeout:
        cut(connection)
      default: break
      }
    }
  }

  // MARK: - Stop

  func beginStop(_ wanted: Stopping) {
    if let running = stopping {
      stopping = Stopping(code: running.code, deadline: min(running.deadline, wanted.deadline))
      return
    }
    stopping = wanted
    for connection in Array(connections.values) {
      switch connection.stage {
      case .webSocket: close(connection.name, code: wanted.code, reason: "", by: wanted.deadline)
      case .clientWebSocket: close(connection.name, code: 1000, reason: "", by: wanted.deadline)
      case .http: if connection.request == nil, connection.answer == nil { cut(connection) }
      case .dialling, .clientHTTP:
        if let dial = connection.dial { fail(connection, .stopped, "the loop is stopping", dial: dial) }
        cut(connection)
      }
    }
  }

  private func continueStop(_ now: Int64) {
    guard let stopping else { return }
    if connections.isEmpty || now >= stopping.deadline { isFinished = true }
  }
}
