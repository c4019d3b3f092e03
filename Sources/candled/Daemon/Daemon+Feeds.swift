import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet

extension Daemon {
  func dialFeeds() {
    guard !isStopping else { return }
    for feed in feeds {
      guard case .waiting(let until) = feed.state, instant.monotonic >= until else { continue }
      var target = WebSocketTarget(url: feed.specification.url)
      target.authority = feed.specification.certificateAuthority
      feed.state = .dialling
      let connection = loop.connect(target)
      feed.connection = connection
      feedsByConnection[connection] = feed
    }
  }

  func dropSilentFeeds() {
    for feed in feeds where feed.state == .connected && feed.specification.silence > 0 {
      guard let connection = feed.connection,
        instant.monotonic - feed.lastMessage >= feed.specification.silence * 1_000_000
      else { continue }
      feed.silences += 1
      loop.close(connection, code: 1000, reason: "silence", within: .seconds(1))
      ended(feed, reason: .silence, error: "no message for \(feed.specification.silence) ms")
    }
  }

  func stop(_ feed: Feed) {
    if let connection = feed.connection {
      loop.close(connection, code: 1000, reason: "", within: .seconds(1))
      feedsByConnection[connection] = nil
      feed.connection = nil
    }
    feed.nextHeartbeat = .max
    feed.state = .stopped
  }

  /// A feed's connection is over, or did not come to be: it is dialled again after a pause.
  func ended(_ feed: Feed, reason: GapReason, error: String) {
    if let connection = feed.connection { feedsByConnection[connection] = nil }
    feed.connection = nil
    feed.nextHeartbeat = .max
    feed.wasDialled = true
    feed.lastError = error
    if feed.state == .connected {
      engine.sourceDown(feed.source, reason: reason, at: instant)
      feed.backoff.connectionEnded(after: (instant.monotonic - feed.connectedAt) / 1_000_000)
    }
    let delay = feed.backoff.next(using: &random)
    feed.state = .waiting(until: instant.monotonic + delay * 1_000_000)
    log.warning(
      "feed is not connected",
      [
        "feed": feed.specification.name, "url": feed.specification.publicURL, "reason": error,
        "retry_ms": "\(delay)",
      ])
  }

  func clientOpened(_ c: ConnectionID) {
    guard let feed = feedsByConnection[c] else { return }
    instant = MachineClock.now()
    feed.state = .connected
    feed.wasDialled = true
    feed.connects += 1
    feed.connectedAt = instant.monotonic
    feed.lastMessage = instant.monotonic
    feed.lastError = nil
    subscribe(feed)
    log.info("feed connected", ["feed": feed.specification.name, "url": feed.specification.publicURL])
  }

  func clientClosed(_ c: ConnectionID, reason: String) {
    guard let feed = feedsByConnection[c] else { return }
    instant = MachineClock.now()
    ended(feed, reason: .disconnect, error: reason)
  }

  func clientFailed(_ c: ConnectionID, _ error: NetError) {
    guard let feed = feedsByConnection[c] else { return }
    instant = MachineClock.now()
    ended(feed, reason: .disconnect, error: "\(error.shortForm): \(error.detail)")
  }

  func clientReceived(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {
    guard let feed = feedsByConnection[c] else { return }
    instant = MachineClock.now()
    feed.lastMessage = instant.monotonic
    feed.counters.messages &+= 1
    batch.clear()
    switch feed.decoder {
    case .lines(let format): format.parse(message, into: &batch) { _ in .failure(.unknownSymbol) }
    case .venue(let decoder):
      guard follow(decoder.decode(message, into: &batch), of: feed) else { return }
      notice(feed)
    case .json(let decoder):
      guard follow(decoder.decode(message, into: &batch, intern: { number(of: $0, in: feed) }), of: feed) else {
        return
      }
      notice(feed)
    }
    ingest(
      message, venue: feed.venueNumber, contiguous: feed.specification.contiguousIDs, name: feed.specification.name,
      counters: &feed.counters)
    if let last = batch.ticks.last, let now = engine.clock.now { feed.skew = last.time.milliseconds - now }
  }

  /// Gives the ticks of `batch` to the engine, and counts and logs what was refused of the frame.
  /// - Parameter refused: gets every refused line, with a text for people.
  /// - Returns: the number of accepted ticks.
  @discardableResult
  func ingest(
    _ frame: UnsafeRawBufferPointer, venue: UInt32, contiguous: Bool = false, name: String,
    counters: inout TickCounters, refused tell: (RefusedLine, String) -> Void = { _, _ in }
  ) -> Int {
    let accepted = batch.ticks.withUnsafeBufferPointer {
      engine.ingest($0, venue: venue, contiguous: contiguous, at: instant)
    }
    counters.accepted &+= Int64(accepted)
    if let now = engine.clock.now { counters.measure(batch.ticks, now: now) }
    for line in batch.refused { refuse(frame, line, name: name, counters: &counters, tell) }
    for refusal in engine.refusals {
      let line = RefusedLine(
        line: batch.places[refusal.index].line, reason: refusal.reason, range: batch.places[refusal.index].range)
      refuse(frame, line, name: name, counters: &counters, tell)
    }
    // With no limit on forming messages every frame shows.
    if settings.engine.formingInterval == 0 {
      if appendTicks(venue: venue) {
        publishForming()
        deliver()
      }
    } else {
      recordTicks(venue: venue)
    }
    return accepted
  }

  private func refuse(
    _ frame: UnsafeRawBufferPointer, _ line: RefusedLine, name: String, counters: inout TickCounters,
    _ tell: (RefusedLine, String) -> Void
  ) {
    let reason = Int(line.reason.rawValue)
    if line.reason == .storage { limits.count(spaceLimit ?? .pending) }
    counters.refused[reason] &+= 1
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: frame[line.range].prefix(200)), as: UTF8.self)
    tell(line, text)
    guard let leftOut = counters.logLimits[reason].pass(at: instant.monotonic) else { return }
    let cause = line.reason == .storage ? (spaceLimit ?? .pending).rawValue : nil
    log.warning(
      "tick refused",
      [
        "feed": name, "reason": line.reason.name, "line": "\(line.line)", "text": text, "limit": cause,
        "left_out": "\(leftOut)",
      ])
  }
}
