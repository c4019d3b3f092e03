import CandleCore
import CandleEngine
import CandleNet
import CandleWire

/// A new configuration while everything runs: feeds that did not change keep their sockets, subscribers keep theirs.
extension Daemon {
  /// - Parameter wanted: a configuration that was read and checked whole.
  func reload(_ wanted: DaemonSettings) {
    instant = MachineClock.now()
    let old = settings
    settings.streamTokens = wanted.streamTokens
    settings.ingest = wanted.ingest
    settings.assets = wanted.assets
    settings.retention = wanted.retention
    settings.maxBacklog = wanted.maxBacklog
    settings.topicsPerConnection = wanted.topicsPerConnection
    settings.journalLimit = wanted.journalLimit
    settings.databaseLimit = wanted.databaseLimit
    settings.requestsPerSecond = wanted.requestsPerSecond
    budget.perSecond = wanted.requestsPerSecond
    settings.engine.formingInterval = wanted.engine.formingInterval
    settings.engine.pendingLimit = wanted.engine.pendingLimit
    settings.engine.symbolLimit = wanted.engine.symbolLimit
    engine.change(
      formingInterval: wanted.engine.formingInterval, pendingLimit: wanted.engine.pendingLimit,
      symbolLimit: wanted.engine.symbolLimit)
    hub.change(maxBacklog: wanted.maxBacklog, topicsPerConnection: wanted.topicsPerConnection)
    changeIndicators(wanted)
    let changes = reloadFeeds(wanted.feeds)
    let kept = Self.keysThatNeedARestart(old, wanted)
    if !kept.isEmpty {
      log.warning("changes of these keys wait for a restart", ["keys": kept.joined(separator: ",")])
    }
    log.notice(
      "configuration reloaded",
      ["feeds_added": "\(changes.added)", "feeds_removed": "\(changes.removed)", "feeds_kept": "\(changes.kept)"])
  }

  /// Values that are stored stay as they are; new ones are of the new kind.
  private func changeIndicators(_ wanted: DaemonSettings) {
    settings.storeIndicators = wanted.storeIndicators
    guard settings.engine.indicators != wanted.engine.indicators else { return }
    settings.engine.indicators = wanted.engine.indicators
    settings.convention = wanted.convention
    indicatorGeneration += 1
    replays = [:]
    engine.change(indicators: wanted.engine.indicators)
    var series: [(symbol: String, timeframe: Timeframe)] = []
    for symbol in 0..<Int32(engine.symbolCount) {
      for timeframe in engine.timeframes { series.append((engine.name(of: symbol), timeframe)) }
    }
    hub.change(keys: IndicatorKeys(engine.plan?.keys ?? []), convention: wanted.convention, series: series)
    // Whoever reads goes on with values as soon as they are warm.
    warm(
      engine.coldSeries { name, timeframe in
        settings.storeIndicators || hub.isRead(name, timeframe)
      }
    ) {}
    hub.takeEffects(carryOut)
    log.notice(
      "other indicators are computed", ["convention": wanted.convention, "keys": "\(engine.plan?.keys.count ?? 0)"])
  }

  private func reloadFeeds(_ wanted: [FeedSpecification]) -> (added: Int, removed: Int, kept: Int) {
    changeSymbols(wanted)
    let kept = feeds.filter { wanted.contains($0.specification) }
    let gone = feeds.filter { !wanted.contains($0.specification) }
    for feed in gone {
      if feed.state == .connected { engine.sourceDown(feed.source, reason: .disconnect, at: instant) }
      stop(feed)
    }
    feeds = kept
    var added = 0
    for specification in wanted where !kept.contains(where: { $0.specification == specification }) {
      guard let feed = makeFeed(specification) else { continue }
      feeds.append(feed)
      added += 1
    }
    settings.feeds = wanted
    makeSeams()
    dialFeeds()
    return (added, gone.count, kept.count)
  }

  /// Feeds of which only symbols changed become the wanted ones where they are.
  private func changeSymbols(_ wanted: [FeedSpecification]) {
    for specification in wanted where !feeds.contains(where: { $0.specification == specification }) {
      guard let feed = feeds.first(where: { specification.differsInSymbols(from: $0.specification) }) else { continue }
      let numbers = specification.symbols.compactMap { engine.intern($0.name) }
      // Too many symbols: it is left out as any other would be.
      guard numbers.count == specification.symbols.count else { continue }
      change(feed, to: specification, numbers: numbers)
      log.notice("the symbols of a feed changed", ["feed": specification.name, "symbols": "\(numbers.count)"])
    }
  }

  func makeFeed(_ specification: FeedSpecification) -> Feed? {
    let symbols = specification.symbols.compactMap { engine.intern($0.name) }
    guard symbols.count == specification.symbols.count else {
      log.error("a feed is left out: limits.symbols is reached", ["feed": specification.name])
      return nil
    }
    feedNumber += 1
    return Feed(specification, source: SourceID(feedNumber), symbols: symbols)
  }

  /// What a running daemon does not change.
  private static func keysThatNeedARestart(_ old: DaemonSettings, _ wanted: DaemonSettings) -> [String] {
    var keys: [String] = []
    if old.net.host != wanted.net.host || old.net.port != wanted.net.port { keys.append("listen") }
    if old.database != wanted.database { keys.append("database") }
    if old.engine.rules.timeframes != wanted.engine.rules.timeframes { keys.append("timeframes") }
    var rules = wanted.engine.rules
    rules.timeframes = old.engine.rules.timeframes
    if old.engine.rules != rules { keys.append("settlement") }
    if old.engine.clock != wanted.engine.clock || old.clock != wanted.clock { keys.append("clock") }
    if old.journal != wanted.journal { keys.append("journal") }
    if old.net.tls != wanted.net.tls { keys.append("tls") }
    if old.net.maxMessage != wanted.net.maxMessage || old.net.maxConnections != wanted.net.maxConnections
      || old.net.maxConnectionsPerAddress != wanted.net.maxConnectionsPerAddress
      || old.net.handshakeTimeout != wanted.net.handshakeTimeout || old.net.maxHead != wanted.net.maxHead
      || old.maximumSnapshot != wanted.maximumSnapshot
    {
      keys.append("limits")
    }
    return keys
  }
}
