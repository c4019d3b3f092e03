import CLibwebsockets
import Glibc
import Synchronization

/// One thread, one library context, all sockets of the daemon: server WebSockets, HTTP, and the clients that dial feeds.
///
/// Only `boundPort`, `start`, `run`, `post`, `stop` and `join` may be called from other threads; everything else belongs to the
/// loop thread, that is into a `LoopHandler` call or a posted closure. Every queue and buffer is bounded by `NetConfiguration`.
///
/// Memory bound per stalled server connection: one write (64 KiB) in the library's backlog; further frames stay with the handler.
public final class EventLoop: @unchecked Sendable {
  let configuration: NetConfiguration
  let inbox = Inbox()
  /// Whether sockets are waited for by `epoll` (libuv), rather than by `poll(2)`.
  public var usesEpoll: Bool { uv != nil }
  /// The TCP port listened on; 0 without a listener.
  public private(set) var boundPort = 0

  /// The library writes `nil` here when the context is gone for good.
  let contextCell: UnsafeMutablePointer<OpaquePointer?>
  var context: OpaquePointer? { contextCell.pointee }
  let protocols: ProtocolTable
  /// Of sockets without TLS.
  var clientVhost: OpaquePointer?
  /// Of those that trust whom the system trusts; made for the first of them.
  var trustingVhost: OpaquePointer?
  var authorityVhosts: [String: OpaquePointer] = [:]

  /// Set for the length of `run`.
  var handler: (any LoopHandler)?
  var connections: [UInt64: Connection] = [:]
  var requests: [UInt64: Connection] = [:]
  var peers: [PeerAddress: Int] = [:]
  var serverCount = 0
  /// Connections of peers that dialled in, WebSocket and HTTP. Loop thread only.
  public var connectionCount: Int { serverCount }
  var nextID: UInt64 = 1

  /// Shared by all writes: room for the library's head, then 64 KiB.
  let writeBuffer: UnsafeMutableRawPointer
  static let writeCapacity = 64 << 10
  /// Writes of one connection in one turn, so that a fast reader does not starve the others.
  static let writesPerTurn = 4

  var timer = WakeTimer()
  /// Instants at which connections are cut unless they get on: handshake, answer, close.
  var cuts: [UInt64: Int64] = [:]
  var nextCut: Int64?
  var nextPingSweep: Int64?
  var lookupsRunning = 0
  var lookupsWaiting: [(String, ConnectionID)] = []

  /// The pass that `turn` follows brought bytes of a WebSocket or a request. Loop thread only.
  public internal(set) var receivedInPass = false
  /// CLOCK_BOOTTIME nanoseconds of the end of the last pass.
  var passTime = LoopClock.now()
  var stopping: Stopping?
  var isFinished = false
  private let thread = Mutex<pthread_t?>(nil)
  /// Set when the loop waits through libuv.
  var uv: UVLoop?

  struct Stopping {
    let code: UInt16
    let deadline: Int64
  }

  /// Binds and listens; connections are taken from `run` or `start` on.
  /// - Throws: `addressInUse`, `addressNotAvailable`, `permissionDenied`, `badAddress`, `badCertificate`, `unavailable`.
  public init(_ configuration: NetConfiguration) throws(NetError) {
    self.configuration = configuration
    writeBuffer = .allocate(byteCount: Int(CLWS_PRE) + Self.writeCapacity + 64, alignment: 16)
    protocols = ProtocolTable()
    contextCell = .allocate(capacity: 1)
    contextCell.initialize(to: nil)
    uv = configuration.polling == .poll ? nil : UVLoop()
    LibraryLog.install(configuration.log)
    do {
      try createContext()
      try createVhosts()
    } catch {
      destroyContext()
      timer.close()
      throw error
    }
  }

  deinit {
    inbox.close()
    destroyContext()
    contextCell.deallocate()
    writeBuffer.deallocate()
  }

  /// Sets the port found at bind time.
  func listens(on port: Int) { boundPort = port }

  // MARK: - Any thread

  /// Runs `work` on the loop thread, in the order of posting, between two service passes. After the end of the loop: dropped.
  /// About 1.5 µs; wakes the loop within tens of microseconds.
  public func post(_ work: @escaping @Sendable () -> Void) {
    guard inbox.post(work) else { return }
    inbox.whileOpen {
      if let context { lws_cancel_service(context) }
    }
  }

  /// Spawns the loop thread. The loop holds on to `handler` until it ends.
  public func start(handler: sending any LoopHandler) {
    self.handler = handler
    thread.withLock { thread in
      guard thread == nil else { return }
      var made = pthread_t()
      let loop = Unmanaged.passRetained(self).toOpaque()
      let failed = pthread_create(
        &made, nil,
        { argument in
          clws_name_thread("candle-net")
          Unmanaged<EventLoop>.fromOpaque(argument!).takeRetainedValue().serve()
          return nil
        }, loop)
      precondition(failed == 0, "no thread for the network loop")
      thread = made
    }
  }

  /// Runs the loop on the calling thread until `stop` is done.
  public func run(handler: any LoopHandler) {
    self.handler = handler
    serve()
  }

  /// Waits for the end of a loop that `start` began. Call once, from another thread.
  public func join() {
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let running { pthread_join(running, nil) }
  }

  /// Ends the loop: takes no more connections, closes server WebSockets with `closeCode`, clients with 1000, lets answers under
  /// way go out, and cuts what is left after `deadline`. Returns at once; `LoopHandler.finished` or `join` tell the end.
  /// A second call with a shorter deadline cuts earlier.
  public func stop(closeCode: UInt16 = 1001, deadline: Duration = .seconds(5)) {
    let instant = LoopClock.now() &+ deadline.nanoseconds
    post { [unowned self] in beginStop(Stopping(code: closeCode, deadline: instant)) }
  }

  func newID() -> UInt64 {
    defer { nextID += 1 }
    return nextID
  }
}
