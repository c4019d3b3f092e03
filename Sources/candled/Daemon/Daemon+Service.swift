/// What the service manager was told, and when it is to hear more.
struct ServiceState {
  /// All that readiness waits for came to be once; it is not taken back.
  var isReady = false
  var status = ""
  let watchdogInterval = ServiceNotifier.watchdogInterval()
  /// Monotonic times in nanoseconds.
  var nextSignOfLife: Int64 = 0
  var nextStatus: Int64 = 0
  /// The status may have changed since it was told.
  var isStale = false

  /// When the loop has to turn for it.
  var wake: Int64? {
    let life = watchdogInterval == nil ? nil : Optional(nextSignOfLife)
    guard isStale else { return life }
    return min(life ?? .max, nextStatus)
  }
}

extension Daemon {
  /// Least time between two status lines, in nanoseconds.
  private static let statusInterval: Int64 = 1_000_000_000

  /// At the end of a turn, so that a loop that does not turn gives no sign of life.
  func tellService() {
    updateReadiness()
    tellStatus()
    guard let interval = service.watchdogInterval, instant.monotonic >= service.nextSignOfLife else { return }
    ServiceNotifier.alive()
    service.nextSignOfLife = instant.monotonic + interval
  }

  /// Ready means that every feed was dialled, whether or not it answered, and that ticks and candles can be kept: a
  /// start must not fail because an exchange is down.
  private func updateReadiness() {
    guard !service.isReady, !isStopping, feeds.allSatisfy(\.wasDialled), storeError == nil, journalError == nil else {
      return
    }
    service.isReady = true
    tellStatus()
    ServiceNotifier.ready()
  }

  private func tellStatus() {
    guard ServiceNotifier.isHeard else { return }
    guard instant.monotonic >= service.nextStatus else {
      service.isStale = true
      return
    }
    service.isStale = false
    let status = serviceStatus
    guard status != service.status else { return }
    service.status = status
    service.nextStatus = instant.monotonic + Self.statusInterval
    ServiceNotifier.status(status)
  }

  /// The line of `systemctl status`.
  private var serviceStatus: String {
    if isStopping { return "Stopping" }
    if let unreadiness { return (service.isReady ? "Not ready: " : "Starting: ") + unreadiness }
    let connected = feeds.count { $0.state == .connected }
    let sources = feeds.isEmpty ? "No feeds" : "\(connected) of \(feeds.count) feeds connected"
    return "\(sources), \(producers.count) producers, \(engine.symbolCount) symbols, \(hub.readerCount) subscribers"
  }

  /// The configuration is about to be read again.
  func beginReload() {
    // A start that is not over is no reload.
    if service.isReady { ServiceNotifier.reloading() }
  }

  /// The new configuration is followed, or was refused.
  func endReload() {
    if service.isReady { ServiceNotifier.ready() }
  }
}
