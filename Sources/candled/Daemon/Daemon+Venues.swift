import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet

/// What presets and `format: json` need beside ticks: subscriptions and their answers, heartbeats.
extension Daemon {
  /// Nanoseconds after connecting in which a venue should have answered.
  private static let answerTime: Int64 = 10_000_000_000

  /// Asks for trades. A symbol of a venue that answers is listened to once it has, of any other at once.
  func subscribe(_ feed: Feed) {
    feed.subscribed.removeAll(keepingCapacity: true)
    feed.lastSubscribed = -1
    feed.toldUnanswered = false
    feed.requests.removeAll()
    if case .venue(let venue) = feed.specification.dialect {
      request(feed, feed.specification.symbols, feed.symbols, of: venue)
    } else {
      listen(feed, to: feed.symbols)
    }
    for text in feed.specification.subscribe { send(text, of: feed) }
    if let heartbeat = feed.specification.heartbeat {
      feed.nextHeartbeat = instant.monotonic + heartbeat.every * 1_000_000
    }
  }

  private func request(_ feed: Feed, _ symbols: [FeedSpecification.Symbol], _ numbers: [Int32], of venue: Venue) {
    let plan = VenueSubscription.Plan(first: (feed.requests.keys.max() ?? 0) + 1)
    for request in venue.subscriptions(symbols.map(\.venue), url: feed.specification.url, plan) {
      feed.requests[request.number] = Array(numbers[request.symbols])
      send(request.text, of: feed)
    }
  }

  private func send(_ text: String, of feed: Feed) {
    if let connection = feed.connection, loop.send(connection, text: Array(text.utf8)) { return }
    log.error("a request was not sent", ["feed": feed.specification.name])
  }

  /// Other symbols of the same venue: those that stay keep their socket.
  /// - Parameter numbers: of the specification's symbols, in its order.
  func change(_ feed: Feed, to specification: FeedSpecification, numbers: [Int32]) {
    let old = zip(feed.specification.symbols, feed.symbols)
    let kept = Set(old.filter { specification.symbols.contains($0.0) }.map(\.1))
    let gone = old.filter { !kept.contains($0.1) }
    let new = zip(specification.symbols, numbers).filter { !kept.contains($0.1) }
    feed.change(to: specification, symbols: numbers)
    guard feed.state == .connected, case .venue(let venue) = specification.dialect else { return }
    // A symbol of another name may be the same one at the venue: first off, then on.
    let cancelled = VenueSubscription.Plan(first: (feed.requests.keys.max() ?? 0) + 1, cancels: true)
    let cancels = venue.subscriptions(gone.map(\.0.venue), url: specification.url, cancelled)
    for request in cancels {
      feed.requests[request.number] = []
      send(request.text, of: feed)
    }
    feed.subscribed.subtract(gone.map(\.1))
    engine.sourceDown(feed.source, symbols: gone.map(\.1), reason: .disconnect, at: instant)
    feed.toldUnanswered = false
    request(feed, new.map(\.0), new.map(\.1), of: venue)
  }

  private func listen(_ feed: Feed, to symbols: [Int32]) {
    let new = symbols.filter { feed.subscribed.insert($0).inserted }
    if !new.isEmpty { engine.sourceUp(feed.source, symbols: new, at: instant) }
  }

  /// Does what a message asks for.
  /// - Returns: whether its trades, or its text as a refused one, are to be taken in.
  func follow(_ event: VenueEvent, of feed: Feed) -> Bool {
    switch event {
    case .trades, .malformed: return true
    case .ignored: feed.counters.ignored &+= 1
    case .subscribed(.all): listen(feed, to: feed.symbols)
    case .subscribed(.symbol(let symbol)): listen(feed, to: [symbol])
    case .subscribed(.request(let number)):
      guard let symbols = feed.requests[number], !symbols.isEmpty else {
        feed.counters.ignored &+= 1
        return false
      }
      // Some of them may have gone since.
      listen(feed, to: symbols.filter(feed.symbols.contains))
    case .rejected(let reason):
      feed.lastError = "the venue refuses a request: \(reason)"
      log.error("the venue refuses a request", ["feed": feed.specification.name, "reason": reason])
    case .reconnect(let reason):
      if let connection = feed.connection {
        loop.close(connection, code: 1000, reason: "reconnect", within: .seconds(1))
      }
      ended(feed, reason: .disconnect, error: "the venue wants a new connection: \(reason)")
    case .newest(let symbol, let id, let time):
      feed.counters.ignored &+= 1
      engine.expectTrades(through: id, of: symbol, venue: feed.venueNumber, time: time, at: instant)
    }
    return false
  }

  /// Trades show that their symbol is subscribed to, whatever was answered.
  func notice(_ feed: Feed) {
    for tick in batch.ticks where tick.symbol != feed.lastSubscribed {
      feed.lastSubscribed = tick.symbol
      guard !feed.subscribed.contains(tick.symbol) else { continue }
      if !feed.symbols.contains(tick.symbol) { feed.symbols.append(tick.symbol) }
      listen(feed, to: [tick.symbol])
    }
  }

  func sendHeartbeats() {
    for feed in feeds where feed.state == .connected {
      tellUnanswered(feed)
      guard let heartbeat = feed.specification.heartbeat, let connection = feed.connection,
        instant.monotonic >= feed.nextHeartbeat
      else { continue }
      feed.nextHeartbeat = instant.monotonic + heartbeat.every * 1_000_000
      if !loop.send(connection, text: Array(heartbeat.text.utf8)) {
        log.warning("a heartbeat was not sent", ["feed": feed.specification.name])
      }
    }
  }

  /// Symbols that the venue says nothing of make no flat candles; somebody should know.
  private func tellUnanswered(_ feed: Feed) {
    guard !feed.requests.isEmpty, !feed.toldUnanswered, feed.subscribed.count < feed.symbols.count,
      instant.monotonic - feed.connectedAt > Self.answerTime
    else { return }
    feed.toldUnanswered = true
    let missing = feed.symbols.filter { !feed.subscribed.contains($0) }
    log.warning(
      "the venue has not answered subscriptions",
      [
        "feed": feed.specification.name, "symbols": "\(missing.count)",
        "first": missing.first.map { engine.name(of: $0) } ?? "",
      ])
  }
}
