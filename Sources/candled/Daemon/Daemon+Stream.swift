import CandleCore
import CandleEngine
import CandleNet
import CandleStore
import CandleWire

extension Daemon {
  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision {
    withinBudget(request) { decide($0) }
  }

  private func decide(_ request: UpgradeRequest) -> UpgradeDecision {
    if request.path == Self.ingestPath || request.path.hasPrefix(Self.ingestPath + "/") {
      return producerRequested(request)
    }
    guard request.path == "/v1/stream" || Self.isBinanceStream(request.path) else {
      return .reject(status: 404, body: RequestError.notFound.body, contentType: "application/json")
    }
    guard isReader(authorization: request.authorization, query: request.query) else {
      refused(.token, at: "stream", request.peer)
      return .reject(status: 401, body: RequestError.unauthorized.body, contentType: "application/json")
    }
    if request.path == "/v1/stream", case .failure(let error) = streamParameters(request.query) {
      return refuse(request, error)
    }
    if Self.isBinanceStream(request.path), binanceTopics(request).count > settings.topicsPerConnection {
      return refuse(request, .tooManyTopics(settings.topicsPerConnection))
    }
    return .accept(role: .subscriber)
  }

  private func refuse(_ request: UpgradeRequest, _ error: RequestError) -> UpgradeDecision {
    if error == .tooManyTopics(settings.topicsPerConnection) {
      reached(.topics, request.peer, bound: settings.topicsPerConnection)
    }
    return .reject(status: error.status, body: error.body, contentType: "application/json")
  }

  /// Whether somebody may read stream and HTTP.
  func isReader(authorization: String?, query: String) -> Bool {
    settings.streamTokens.isEmpty
      || AccessToken.isGranted(
        settings.streamTokens, authorization: authorization, parameter: QueryParameters(query)["token"])
  }

  func opened(_ c: ConnectionID, _ request: UpgradeRequest) {
    if request.path.hasPrefix(Self.ingestPath) {
      producerOpened(c, request)
    } else if Self.isBinanceStream(request.path) {
      openBinance(c, request)
    } else {
      openStream(c, request)
    }
  }

  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {
    if let lastProducer, lastProducer.connection == c { return producerReceived(lastProducer, message) }
    if let producer = producers[c] {
      lastProducer = producer
      return producerReceived(producer, message)
    }
    instant = MachineClock.now()
    hub.received(message, from: c.raw, time: engine.clock.now)
    hub.takeEffects(carryOut)
  }

  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if let producer = producers[c] { return producerWritable(producer, buffer) }
    let used = hub.fill(c.raw, into: buffer)
    hub.takeEffects(carryOut)
    return used
  }

  func closed(_ c: ConnectionID, code: UInt16?, reason: String) {
    if let producer = producers[c] { return producerClosed(producer) }
    replays[c.raw] = nil
    hub.disconnect(c.raw)
  }

  /// Does what the hub asks for.
  func carryOut(_ effect: HubEffect) {
    switch effect {
    case .wantsWrite(let reader): loop.wantWrite(ConnectionID(raw: reader))
    case .close(let reader, let code, let reason):
      loop.close(ConnectionID(raw: reader), code: code, reason: reason, within: .seconds(5))
    case .warm(let reader, let topics):
      let cold = engine.coldSeries { name, timeframe in topics.contains { $0.matches(timeframe, name) } }
      warm(cold) { [self] in hub.warmed(reader) }
    case .wentLive(let reader, let topics):
      replays[reader] = nil
      for symbol in 0..<Int32(engine.symbolCount) {
        let name = engine.name(of: symbol)
        if topics.contains(where: { $0.kind == .candle && ($0.symbol == nil || $0.symbol == name) }) {
          engine.refreshForming(of: symbol)
        }
      }
    case .refreshSeries(let symbol, let position): engine.refreshForming(of: symbol, position: position)
    case .readSnapshot(let reader, let topics, let count): readSnapshot(reader, topics, count)
    case .readChanges(let reader, let topics, let after, let end, let limit):
      readChanges(reader, topics, after, upTo: end, limit)
    case .limitReached(let reader, let limit, let value, let bound):
      tell(Limit(limit), loop.peer(of: ConnectionID(raw: reader)), value: value, bound: bound)
    }
  }

  private func readSnapshot(_ reader: ReaderID, _ topics: [Topic], _ count: Int) {
    var series: [(symbol: String, timeframe: Timeframe)] = []
    for symbol in 0..<engine.symbolCount {
      let name = engine.name(of: Int32(symbol))
      for timeframe in engine.timeframes where topics.contains(where: { $0.matches(timeframe, name) }) {
        series.append((name, timeframe))
      }
    }
    let wanted = series
    let plan = engine.plan
    let generation = indicatorGeneration
    store.read { store throws(StoreError) in
      var snapshots: [SeriesSnapshot] = []
      for one in wanted {
        let candles = try store.candles(symbol: one.symbol, timeframe: one.timeframe, limit: count, newest: true)
        let values = try store.values(of: candles, symbol: one.symbol, timeframe: one.timeframe, plan: plan)
        snapshots.append(
          SeriesSnapshot(symbol: one.symbol, timeframe: one.timeframe, candles: Array(zip(candles, values))))
      }
      return (snapshots, try store.lastVersion())
    } completion: { [self] result in
      loop.post { [self] in
        // Other indicators are wanted meanwhile.
        guard generation == indicatorGeneration else { return readSnapshot(reader, topics, count) }
        switch result {
        case .success(let (snapshots, version)):
          hub.snapshotRead(reader, snapshots, version: version) { name, timeframe in
            guard let symbol = engine.number(of: name),
              let candle = engine.forming(symbol, position: position(timeframe))
            else { return nil }
            return (candle, engine.formingValues(symbol, position: position(timeframe), candle))
          }
        case .failure(let error): hub.readFailed(reader, message: "\(error.short)")
        }
        hub.takeEffects(carryOut)
      }
    }
  }

  private func readChanges(_ reader: ReaderID, _ topics: [Topic], _ after: Int64, upTo end: Int64, _ limit: Int) {
    let selection = SeriesSelection(
      series: { symbol, timeframe in topics.contains { $0.matches(timeframe, symbol) } },
      gaps: { symbol in topics.contains { $0.symbol == nil || $0.symbol == symbol } })
    let indicators = replays[reader] ?? engine.plan.map(ReplayIndicators.init)
    replays[reader] = indicators
    let generation = indicatorGeneration
    store.read { store throws(StoreError) in
      let page = try store.changes(after: after, upTo: end, limit: limit, selection: selection)
      return (page, try indicators?.values(of: page.changes, store) ?? page.changes.map { _ in nil })
    } completion: { [self] result in
      loop.post { [self] in
        guard generation == indicatorGeneration else { return readChanges(reader, topics, after, upTo: end, limit) }
        switch result {
        case .success(let (page, values)):
          hub.changesRead(reader, zip(page.changes, values).map(replayed), version: page.through)
        case .failure(let error): hub.readFailed(reader, message: "\(error.short)")
        }
        hub.takeEffects(carryOut)
      }
    }
  }

  private func replayed(_ change: StoredChange, _ values: [Double]?) -> ReplayedChange {
    switch change {
    case .candle(let row):
      .candle(symbol: row.symbol, timeframe: row.timeframe, row.candle, values: values)
    case .gap(let gap):
      .gap(
        symbol: gap.symbol,
        Gap(
          symbol: engine.number(of: gap.symbol) ?? -1, from: gap.from, to: gap.to, reason: gap.reason,
          filled: gap.filled, version: gap.version))
    }
  }
}
