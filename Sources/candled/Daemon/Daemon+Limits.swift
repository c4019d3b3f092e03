import CandleEngine
import CandleNet
import CandleStore
import CandleWire

/// What is bounded, and what happens there; docs/limits.md has it in one table.
extension Daemon {
  func limitReached(_ limit: NetLimit, _ peer: PeerAddress) { reached(Limit(limit), peer, bound: bound(limit)) }

  private func bound(_ limit: NetLimit) -> Int {
    switch limit {
    case .connections: settings.net.maxConnections
    case .connectionsPerAddress: settings.net.maxConnectionsPerAddress
    case .handshakeTime: Int(settings.net.handshakeTimeout / .milliseconds(1))
    case .head: settings.net.maxHead
    case .message: settings.net.maxMessage
    }
  }

  /// Counts a limit that somebody ran into, and tells it.
  func reached(_ limit: Limit, _ peer: PeerAddress?, value: Int64? = nil, bound: Int) {
    limits.count(limit)
    tell(limit, peer, value: value, bound: bound)
  }

  /// Tells a limit that is counted elsewhere, at a limited rate.
  /// - Parameters:
  ///   - value: what was wanted, or there; nil where it is one more than the bound, or not known.
  ///   - bound: the limit as it is configured; times in milliseconds.
  func tell(_ limit: Limit, _ peer: PeerAddress?, value: Int64? = nil, bound: Int) {
    guard let leftOut = limits.pass(limit, at: instant.monotonic) else { return }
    log.warning(
      "a limit is reached",
      [
        "limit": limit.rawValue, "address": peer?.text, "value": value.map { "\($0)" },
        "bound": "\(bound)", "left_out": "\(leftOut)",
      ])
  }

  /// A symbol was refused because there are too many; the engine counts it.
  /// - Parameter kind: what the sender is named by.
  func tellTooManySymbols(_ name: String, from sender: String, as kind: String = "address") {
    guard let leftOut = limits.pass(.symbols, at: instant.monotonic) else { return }
    log.warning(
      "a limit is reached",
      [
        "limit": Limit.symbols.rawValue, kind: sender, "symbol": name, "value": "\(engine.symbolCount)",
        "bound": "\(settings.engine.symbolLimit)", "left_out": "\(leftOut)",
      ])
  }

  // MARK: Requests a second

  /// Whether an address may ask; the question is counted. Those of the service manager and the balancer are free.
  func isWithinBudget(_ request: HTTPRequest) -> Bool {
    if request.path == "/healthz" || request.path == "/readyz" { return true }
    guard budget.wait(request.peer.text, at: instant.monotonic) == 0 else { return false }
    budget.charge(request.peer.text, at: instant.monotonic)
    return true
  }

  func refuseForBudget(_ r: RequestID, _ peer: PeerAddress) {
    let headers = [retryAfter(peer), (name: "Cache-Control", value: "no-store")]
    reached(.requests, peer, bound: settings.requestsPerSecond)
    let error = RequestError.tooManyRequests
    loop.respond(
      r, HTTPResponse(status: error.status, contentType: "application/json", headers: headers, body: error.body))
  }

  /// Lets handshakes through, and counts those that are refused: connections have bounds of their own, guesses do not.
  func withinBudget(_ request: UpgradeRequest, _ decide: (UpgradeRequest) -> UpgradeDecision) -> UpgradeDecision {
    instant = MachineClock.now()
    guard budget.wait(request.peer.text, at: instant.monotonic) == 0 else {
      reached(.requests, request.peer, bound: settings.requestsPerSecond)
      let error = RequestError.tooManyRequests
      return .reject(
        status: error.status, body: error.body, contentType: "application/json", headers: [retryAfter(request.peer)])
    }
    let decision = decide(request)
    if case .reject = decision { budget.charge(request.peer.text, at: instant.monotonic) }
    return decision
  }

  /// In whole seconds, as RFC 9110 (section 10.2.3) wants it.
  private func retryAfter(_ peer: PeerAddress) -> HTTPHeader {
    let wait = budget.wait(peer.text, at: instant.monotonic)
    return (name: "Retry-After", value: "\(max(1, (wait + 999_999_999) / 1_000_000_000))")
  }

  // MARK: Space

  /// Nanoseconds between two looks.
  private static let spaceInterval: Int64 = 1_000_000_000
  /// Two segments: the one that is written to and the one prepared ahead.
  private static let segmentsAhead: Int64 = 32 << 20

  /// Above it segments go that only `journal.keep` keeps, so that no tick is refused for their sake.
  var journalKeepBytes: Int64 {
    settings.journalLimit == 0 ? .max : max(0, settings.journalLimit - Self.segmentsAhead)
  }

  /// Once a second: whether journal and database have room.
  func checkSpace() {
    guard instant.monotonic >= nextSpaceCheck else { return }
    nextSpaceCheck = instant.monotonic + Self.spaceInterval
    updateSpaceLimit()
    guard !isReadingSpace else { return }
    isReadingSpace = true
    store.read { store throws(StoreError) in
      try store.usedBytes()
    } completion: { [self] result in
      loop.post { [self] in
        isReadingSpace = false
        if case .success(let bytes) = result { databaseBytes = bytes }
        updateSpaceLimit()
      }
    }
  }

  private func updateSpaceLimit() {
    var found: Limit?
    if settings.journalLimit > 0, journal.status.bytesOnDisk > settings.journalLimit { found = .journal }
    if settings.databaseLimit > 0, databaseBytes ?? 0 > settings.databaseLimit { found = .database }
    guard found != spaceLimit else { return }
    if let found {
      log.error(
        "no more ticks are taken until there is room",
        [
          "limit": found.rawValue, "journal_bytes": "\(journal.status.bytesOnDisk)",
          "database_bytes": "\(databaseBytes ?? 0)",
        ])
    } else {
      log.notice("there is room again, and ticks are taken")
    }
    spaceLimit = found
    refuseForStorage()
  }

  /// Tells the engine whether ticks find room.
  func refuseForStorage() { engine.refusesForStorage = journalRefuses || spaceLimit != nil }

  // MARK: Metrics

  func writeLimitMetrics(to out: MetricsWriter) {
    out.metric(
      "limit_reached_total", .counter,
      "Connections, requests, messages and ticks refused or cut at a limit, by its key.")
    for limit in Limit.allCases {
      let count =
        switch limit {
        case .topics: hub.counters.topicLimits + limits[.topics]
        case .snapshot: hub.counters.snapshotLimits
        case .symbols: engine.counters.symbolLimits
        case .backlog: hub.counters.slowConsumers
        default: limits[limit]
        }
      out.sample("limit_reached_total", [("limit", limit.rawValue)], count)
    }
    out.single("connections", .gauge, "Connections of peers, WebSocket and HTTP.", Int64(loop.connectionCount))
  }
}
