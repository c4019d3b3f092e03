import Glibc
import Synchronization

@testable import CandleNet

/// A handler that records what it is told and answers by closures. Closures run on the loop thread.
final class Probe: LoopHandler, @unchecked Sendable {
  enum Event: Equatable {
    case opened(ConnectionID, path: String, query: String)
    case received(ConnectionID, [UInt8], isText: Bool)
    case closed(ConnectionID, UInt16?, String)
    case requested(RequestID, String)
    case clientOpened(ConnectionID)
    case clientReceived(ConnectionID, [UInt8], isText: Bool)
    case clientClosed(ConnectionID, String)
    case clientFailed(ConnectionID, NetError)
    case finished
  }

  let log = Mutex<[Event]>([])
  let clientMessages = Mutex<Int>(0)
  /// `false`: count client messages only.
  var keepsClientMessages = true
  unowned var loop: EventLoop!
  var role = ConnectionRole.subscriber
  var decide: (UpgradeRequest) -> UpgradeDecision? = { _ in nil }
  var onOpened: (ConnectionID) -> Void = { _ in }
  var onReceived: (ConnectionID, [UInt8], Bool) -> Void = { _, _, _ in }
  var onRequest: (RequestID, HTTPRequest) -> Void = { _, _ in }
  var onTurn: (EventLoop) -> Wake = { _ in .at(nil) }
  /// Bytes waiting for each server connection, and how many a call may hand out.
  var outgoing: [ConnectionID: ArraySlice<UInt8>] = [:]
  var mostPerCall = Int.max
  let handedOut = Mutex<Int>(0)

  func push(_ c: ConnectionID, _ bytes: [UInt8]) {
    outgoing[c, default: []].append(contentsOf: bytes)
    loop.wantWrite(c)
  }

  private func note(_ event: Event) { log.withLock { $0.append(event) } }

  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision { decide(request) ?? .accept(role: role) }
  func opened(_ c: ConnectionID, _ request: UpgradeRequest) {
    note(.opened(c, path: request.path, query: request.query))
    onOpened(c)
  }
  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {
    note(.received(c, Array(message), isText: isText))
    onReceived(c, Array(message), isText)
  }
  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let waiting = outgoing[c], !waiting.isEmpty else { return 0 }
    let piece = waiting.prefix(min(buffer.count, mostPerCall))
    buffer.copyBytes(from: piece)
    outgoing[c] = waiting.dropFirst(piece.count)
    handedOut.withLock { $0 += piece.count }
    return piece.count
  }
  func closed(_ c: ConnectionID, code: UInt16?, reason: String) { note(.closed(c, code, reason)) }
  func request(_ r: RequestID, _ request: HTTPRequest) {
    note(.requested(r, "\(request.method.rawValue) \(request.path)?\(request.query)"))
    onRequest(r, request)
  }
  func clientOpened(_ c: ConnectionID) { note(.clientOpened(c)) }
  func clientReceived(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {
    clientMessages.withLock { $0 += 1 }
    if keepsClientMessages { note(.clientReceived(c, Array(message), isText: isText)) }
  }
  func clientClosed(_ c: ConnectionID, reason: String) { note(.clientClosed(c, reason)) }
  func clientFailed(_ c: ConnectionID, _ error: NetError) { note(.clientFailed(c, error)) }
  func turn(_ loop: EventLoop) -> Wake { onTurn(loop) }
  func finished() { note(.finished) }

  var events: [Event] { log.withLock { $0 } }

  /// Waits for an event that `pick` takes; `nil` after the time is over.
  func first<R>(within seconds: Double = 10, _ pick: (Event) -> R?) -> R? {
    let end = LoopClock.now() + Int64(seconds * 1e9)
    repeat {
      if let found = events.lazy.compactMap(pick).first { return found }
      usleep(1_000)
    } while LoopClock.now() < end
    return nil
  }

  var serverConnection: ConnectionID? { first { if case .opened(let c, _, _) = $0 { c } else { nil } } }
  var closing: (UInt16?, String)? {
    first { if case .closed(_, let code, let reason) = $0 { (code, reason) } else { nil } }
  }
  var failure: NetError? { first { if case .clientFailed(_, let error) = $0 { error } else { nil } } }
  var clientEnd: String? { first { if case .clientClosed(_, let reason) = $0 { reason } else { nil } } }
  func sawClientOpen() -> Bool { first { if case .clientOpened = $0 { true } else { nil } } ?? false }
  func message() -> [UInt8]? { first { if case .received(_, let bytes, _) = $0 { bytes } else { nil } } }
}

/// A loop with its probe, stopped and joined at the end of its test.
final class Bench: @unchecked Sendable {
  let loop: EventLoop
  let probe = Probe()

  init(_ adjust: (inout NetConfiguration) -> Void = { _ in }, prepare: (Probe) -> Void = { _ in }) throws {
    var configuration = Self.configuration
    adjust(&configuration)
    loop = try EventLoop(configuration)
    probe.loop = loop
    prepare(probe)
    loop.start(handler: probe)
  }

  /// Both ways of waiting, where the suite may use both.
  static var pollings: [NetConfiguration.Polling] { configuration.polling == .poll ? [.poll] : [.poll, .best] }

  /// The suite waits by `poll`: when a context ends that ran on libuv, the library closes the end of a pipe twice, and in a
  /// process with many loops that number may be another one's by then. `CANDLE_NET_POLLING=best` with `--no-parallel` runs it
  /// on libuv, as the end-to-end tests do.
  static var configuration: NetConfiguration {
    var configuration = NetConfiguration()
    if getenv("CANDLE_NET_POLLING").map({ String(cString: $0) }) != "best" { configuration.polling = .poll }
    return configuration
  }

  static func client() throws -> Bench { try Bench({ $0.host = nil }) }

  var port: Int { loop.boundPort }

  /// Runs on the loop thread and brings the result back.
  func onLoop<R: Sendable>(_ work: @escaping @Sendable (Probe, EventLoop) -> R) -> R {
    let box = Shared(result: nil as R?)
    let probe = self.probe
    let loop = self.loop
    loop.post { box.set(work(probe, loop)) }
    while true {
      if let value = box.get() { return value }
      usleep(500)
    }
  }

  func stop(deadline: Duration = .seconds(1)) {
    loop.stop(deadline: deadline)
    loop.join()
  }
}

final class Shared<R: Sendable>: Sendable {
  private let value: Mutex<R?>
  init(result: R?) { value = Mutex(result) }
  func set(_ new: R) { value.withLock { $0 = new } }
  func get() -> R? { value.withLock { $0 } }
}
