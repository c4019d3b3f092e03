import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet

/// What presets and `format: json` need beside ticks: subscriptions and their answers, heartbeats.
extension Daemon {
  /// Nanoseconds after connecting in which a venue should have answered.
  private static let answerTime: Int64 = 10_000_000_000

  /// Asks for trades. A symbol of a venue that answers is listened to once it has, of any other at once.
  func subscribe(_ feed: Feed, on c: ConnectionID) {
    feed.subscribed.removeAll(keepingCapacity: true)
    feed.lastSubscribed = -1
    feed.toldUnanswered = false
    for text in feed.subscriptions.map(\.text) + feed.specification.subscribe
    where !loop.send(c, text: Array(text.utf8)) {
      log.error("a subscription was not sent", ["feed": feed.specification.name])
    }
    if feed.subscriptions.isEmpty { listen(feed, to: feed.symbols) }
    if let heartbeat = feed.specification.heartbeat {
      feed.nextHeartbeat = instant.monotonic + heartbeat.every * 1_000_000
    }
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
      guard number <= feed.subscriptions.count else {
        feed.counters.ignored &+= 1
        return false
      }
      listen(feed, to: Array(feed.symbols[feed.subscriptions[number - 1].symbols]))
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
    guard !feed.subscriptions.isEmpty, !feed.toldUnanswered, feed.subscribed.count < feed.symbols.count,
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
