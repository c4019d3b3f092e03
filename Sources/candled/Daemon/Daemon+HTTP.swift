import CandleCore
import CandleEngine
import CandleNet
import CandleStore
import CandleWire

extension Daemon {
  func request(_ r: RequestID, _ request: HTTPRequest) {
    instant = MachineClock.now()
    guard isWithinBudget(request) else { return refuseForBudget(r, request.peer) }
    switch request.method {
    case .get, .head: break
    case .options:
      return loop.respond(
        r,
        HTTPResponse(
          status: 204, contentType: "text/plain",
          headers: [
            ("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS"),
            ("Access-Control-Allow-Headers", "Authorization"),
          ], body: []))
    default: return fail(r, .methodNotAllowed)
    }
    if servePage(r, request) { return }
    // The service manager's and the balancer's questions need no token.
    guard
      request.path == "/healthz" || request.path == "/readyz"
        || isReader(authorization: request.authorization, query: request.query)
    else {
      refused(.token, at: "http", request.peer)
      return fail(r, .unauthorized)
    }
    let parameters = QueryParameters(request.query)
    switch request.path {
    case "/v1/candles": candles(r, parameters)
    case "/v1/symbols": answer(r, symbols())
    case "/v1/gaps": gaps(r, parameters)
    case "/v1/status": answer(r, status())
    case "/v1/time": answer(r, time())
    case "/metrics": answer(r, metrics(), contentType: "text/plain; version=0.0.4; charset=utf-8")
    case "/healthz": answer(r, Array("ok\n".utf8), contentType: "text/plain; charset=utf-8")
    case "/readyz": readiness(r)
    case let path where path.hasPrefix(Self.binancePath):
      binanceRequest(r, path.dropFirst(Self.binancePath.count), parameters)
    case let path where path.hasPrefix(Self.udfPath):
      udfRequest(r, path.dropFirst(Self.udfPath.count), parameters)
    default: fail(r, .notFound)
    }
  }

  func answer(_ r: RequestID, _ body: [UInt8], contentType: String = "application/json", status: Int = 200) {
    var headers = [(name: "Cache-Control", value: "no-store")]
    // With tokens no page of another origin may read with what a browser has stored.
    if settings.streamTokens.isEmpty { headers.append((name: "Access-Control-Allow-Origin", value: "*")) }
    loop.respond(r, HTTPResponse(status: status, contentType: contentType, headers: headers, body: body))
  }

  func fail(_ r: RequestID, _ error: RequestError) { answer(r, error.body, status: error.status) }

  // MARK: Candles

  private func candles(_ r: RequestID, _ parameters: QueryParameters) {
    switch CandleQuery.parse(parameters, timeframes: engine.timeframes, zone: NamedZones.rule) {
    case .failure(let error): fail(r, error)
    case .success(let query):
      guard let symbol = engine.number(of: query.symbol) else { return fail(r, .unknownSymbol(query.symbol)) }
      if query.format.kind != .json { return answer(r, query) }
      let cold = engine.coldSeries { query.forming && $0 == query.symbol && $1 == query.timeframe }
      warm(cold) { [self] in read(query, symbol, for: r, attempts: 3) }
    }
  }

  private func read(_ query: CandleQuery, _ symbol: Int32, for r: RequestID, attempts: Int) {
    let plan = query.indicators ? engine.plan : nil
    // It is stored, as the end of a replay has cut it, and forms again.
    let reopened = query.forming ? engine.reopened(symbol, position: position(query.timeframe)) : nil
    store.read { store throws(StoreError) in
      // One more than asked for tells whether there is a next page.
      var candles = try store.candles(
        symbol: query.symbol, timeframe: query.timeframe, from: query.from ?? .min, to: query.to ?? .max,
        limit: query.from == nil ? query.limit : query.limit + 1, newest: query.from == nil)
      var next: Milliseconds?
      if query.from != nil, candles.count > query.limit { next = candles.removeLast().openTime }
      if next == nil, let reopened, candles.last?.openTime == reopened { candles.removeLast() }
      let out = ByteWriter(capacity: 512 * (candles.count + 2))
      CandlePage.writeHead(symbol: query.symbol, timeframe: query.timeframe, to: out)
      let values = try store.values(of: candles, symbol: query.symbol, timeframe: query.timeframe, plan: plan)
      CandlePage.write(candles, values, query, keys: IndicatorKeys(plan?.keys ?? []), to: out)
      return StoredPage(
        body: out.array, isEmpty: candles.isEmpty, last: candles.last?.openTime, next: next,
        version: try store.lastVersion())
    } completion: { [self] result in
      loop.post { [self] in
        switch result {
        case .failure(let error): fail(r, .unavailable(error.short))
        case .success(let page):
          let isOutdated =
            page.version < engine.publishedVersion
            || reopened != nil && engine.reopened(symbol, position: position(query.timeframe)) != reopened
          if query.forming, isOutdated, attempts > 1 {
            // Something was published since: what forms now may follow a candle that the page does not have.
            return read(query, symbol, for: r, attempts: attempts - 1)
          }
          answer(r, finish(page, query, symbol))
        }
      }
    }
  }

  private func finish(_ page: StoredPage, _ query: CandleQuery, _ symbol: Int32) -> [UInt8] {
    let out = ByteWriter(capacity: page.body.count + 1_024)
    out.write(page.body)
    if query.forming, page.next == nil,
      let candle = engine.forming(symbol, position: position(query.timeframe)),
      candle.openTime >= query.from ?? .min, candle.openTime < query.to ?? .max, candle.openTime > page.last ?? .min
    {
      if !page.isEmpty { out.write(",") }
      let values = engine.formingValues(symbol, position: position(query.timeframe), candle)
      CandlePage.write([candle], [values], query, keys: hub.keys, to: out)
    }
    CandlePage.writeTail(next: page.next, to: out)
    return out.array
  }

  private func gaps(_ r: RequestID, _ parameters: QueryParameters) {
    let query: GapQuery
    do throws(RequestError) { query = try GapQuery.parse(parameters) } catch { return fail(r, error) }
    if let symbol = query.symbol, engine.number(of: symbol) == nil { return fail(r, .unknownSymbol(symbol)) }
    store.read { store throws(StoreError) in
      guard let symbol = query.symbol else { return GapList.encode(try store.newestGaps(limit: query.limit)) }
      return GapList.encode(
        try store.gaps(symbol: symbol, from: query.from, to: query.to ?? .max, limit: query.limit))
    } completion: { [self] result in
      loop.post { [self] in
        switch result {
        case .failure(let error): fail(r, .unavailable(error.short))
        case .success(let body): answer(r, body)
        }
      }
    }
  }
}

/// A page of candles as it was read, still without what forms.
private struct StoredPage: Sendable {
  var body: [UInt8]
  var isEmpty: Bool
  var last: Milliseconds?
  var next: Milliseconds?
  var version: Int64
}

/// The JSON of `/v1/candles`.
enum CandlePage {
  static func writeHead(symbol: String, timeframe: Timeframe, to out: ByteWriter) {
    out.write("{\"symbol\":\"\(symbol)\",\"timeframe\":\"\(timeframe.name)\",\"candles\":[")
  }

  static func write(
    _ candles: [Candle], _ values: [[Double]?], _ query: CandleQuery, keys: IndicatorKeys, to out: ByteWriter
  ) {
    for index in candles.indices {
      if index > 0 { out.write(",") }
      (values[index] ?? []).withUnsafeBufferPointer { values in
        CandleJSON.write(
          candles[index], symbol: query.symbol, timeframe: query.timeframe, keys: keys,
          values: query.indicators ? values : nil, to: out)
      }
    }
  }

  static func writeTail(next: Milliseconds?, to out: ByteWriter) {
    out.write("],\"next\":")
    if let next { out.write(next) } else { out.write("null") }
    out.write("}")
  }
}

/// The JSON of `/v1/gaps`.
enum GapList {
  static func encode(_ gaps: [StoredGap]) -> [UInt8] {
    let out = ByteWriter()
    out.write("{\"gaps\":[")
    for (index, gap) in gaps.enumerated() {
      out.write(index > 0 ? ",{\"symbol\":\"" : "{\"symbol\":\"")
      out.write(gap.symbol)
      out.write("\",\"from\":")
      out.write(gap.from)
      out.write(",\"to\":")
      if let to = gap.to { out.write(to) } else { out.write("null") }
      out.write(",\"reason\":\"\(gap.reason.rawValue)\",\"filled\":\(gap.filled),\"version\":")
      out.write(gap.version)
      out.write("}")
    }
    out.write("]}")
    return out.array
  }
}
