import CandleCore
import CandleEngine
import CandleNet
import CandleWire

/// Binance's clients: `/api/v3/…`, `/ws` and `/stream`.
extension Daemon {
  static let binancePath = "/api/v3/"

  func binanceRequest(_ r: RequestID, _ path: Substring, _ parameters: QueryParameters) {
    switch path {
    case "ping": answer(r, Array("{}".utf8))
    case "time": answer(r, Array("{\"serverTime\":\(serverTime)}".utf8))
    case "exchangeInfo": exchangeInfo(r, parameters)
    case "klines", "uiKlines": klines(r, parameters)
    default: fail(r, .notFound)
    }
  }

  /// Server time; before the clock's first reading that of the system.
  var serverTime: Milliseconds {
    engine.tick(at: instant)
    return engine.clock.now ?? instant.wall
  }

  private func exchangeInfo(_ r: RequestID, _ parameters: QueryParameters) {
    var symbols: [Int32] = []
    if let wanted = parameters["symbol"] {
      guard let name = series(of: wanted), let symbol = engine.number(of: name) else {
        return fail(r, BinanceError.invalidSymbol)
      }
      symbols = [symbol]
    } else {
      _ = series(of: "")
      // Of two series with one short name a client can reach only one.
      symbols = (0..<Int32(engine.symbolCount)).filter { dialects.directory.leads(to: engine.name(of: $0)) }
    }
    withDigits(of: symbols, for: r) { [self] found in
      answer(
        r,
        BinanceExchangeInfo.encode(
          found.map { symbol, digits in
            let name = engine.name(of: symbol)
            return BinanceExchangeInfo.Symbol(name: name, assets: assets(of: name), digits: digits)
          }, time: serverTime))
    }
  }

  private func klines(_ r: RequestID, _ parameters: QueryParameters) {
    let query: BinanceQuery
    do {
      query = try BinanceQuery.parse(parameters, timeframes: engine.timeframes) { series(of: $0) }
    } catch {
      return fail(r, error)
    }
    var range = SeriesRange(
      symbol: query.symbol, timeframe: query.timeframe, from: query.start, to: (query.end ?? .max - 1) + 1,
      limit: query.limit, forming: true)
    // So clients ask for a symbol's first candle, and take the first row of the answer without looking: its end, which
    // is the client's clock, does not count.
    let asksForFirst = query.start == 0 && query.limit == 1
    if asksForFirst { range.to = .max }
    let timeframe = query.timeframe
    answer(r, with: range) { rows in
      if asksForFirst, rows.candles.isEmpty { return (400, BinanceError.invalidSymbol.body) }
      let out = ByteWriter(capacity: 256 * (rows.candles.count + 1))
      out.write("[")
      for (index, candle) in rows.candles.enumerated() {
        if index > 0 { out.write(",") }
        BinanceKline.writeRow(candle, timeframe, to: out)
      }
      out.write("]")
      return (200, out.array)
    }
  }

  private func fail(_ r: RequestID, _ error: BinanceError) { answer(r, error.body, status: 400) }

  // MARK: Stream

  static func isBinanceStream(_ path: String) -> Bool {
    path == "/ws" || path.hasPrefix("/ws/") || path == "/stream"
  }

  func openBinance(_ c: ConnectionID, _ request: UpgradeRequest) {
    let isCombined = request.path == "/stream"
    hub.connect(
      c.raw, format: CandleFormat(isCombined ? .binanceCombined : .binance),
      corrections: QueryParameters(request.query)["corrections"] == "1")
    // They were counted before the upgrade; a new configuration may have come between.
    hub.subscribe(c.raw, Array(binanceTopics(request).prefix(settings.topicsPerConnection)))
    hub.takeEffects(carryOut)
  }

  /// What the address asks for.
  func binanceTopics(_ request: UpgradeRequest) -> [Topic] {
    let streams =
      request.path == "/stream"
      ? QueryParameters(request.query)["streams"] ?? "" : String(request.path.dropFirst(4))
    return BinanceRequest.topics(streams: streams, timeframes: engine.timeframes, series: hub.seriesName)
  }
}
