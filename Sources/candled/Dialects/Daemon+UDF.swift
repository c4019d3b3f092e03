import CandleCore
import CandleEngine
import CandleNet
import CandleWire

/// TradingView's Universal Data Feed: `/udf/…`.
extension Daemon {
  static let udfPath = "/udf/"
  private static let foundByDefault = 30

  func udfRequest(_ r: RequestID, _ path: Substring, _ parameters: QueryParameters) {
    switch path {
    case "config": answer(r, UDFAnswer.configuration(engine.timeframes))
    case "time": answer(r, Array("\(serverTime / 1_000)".utf8), contentType: "text/plain; charset=utf-8")
    case "symbols": udfSymbol(r, parameters)
    case "search": udfSearch(r, parameters)
    case "history": udfHistory(r, parameters)
    default: fail(r, .notFound)
    }
  }

  private func fail(_ r: RequestID, _ error: UDFError) { answer(r, error.body, status: error.status) }

  /// The series of a symbol as it is, or behind the name of an exchange: `candled:BTCUSDT`.
  private func udfSeries(_ symbol: String) -> String? {
    if engine.number(of: symbol) != nil { return symbol }
    guard let colon = symbol.firstIndex(of: ":") else { return nil }
    let name = String(symbol[symbol.index(after: colon)...])
    return engine.number(of: name) == nil ? nil : name
  }

  private func udfSymbol(_ r: RequestID, _ parameters: QueryParameters) {
    guard let wanted = parameters["symbol"], let name = udfSeries(wanted), let symbol = engine.number(of: name) else {
      return fail(r, UDFError.unknownSymbol)
    }
    withDigits(of: [symbol], for: r) { [self] found in
      answer(
        r,
        UDFAnswer.symbol(
          name, assets: assets(of: name), digits: found[0].digits, timeframes: engine.timeframes))
    }
  }

  private func udfSearch(_ r: RequestID, _ parameters: QueryParameters) {
    let query = (parameters["query"] ?? "").lowercased()
    let limit = parameters["limit"].flatMap(Int.init) ?? Self.foundByDefault
    var found: [(name: String, assets: SymbolAssets)] = []
    for symbol in 0..<Int32(engine.symbolCount) where found.count < limit {
      let name = engine.name(of: symbol)
      if query.isEmpty || name.lowercased().contains(query) { found.append((name, assets(of: name))) }
    }
    answer(r, UDFAnswer.found(found))
  }

  private func udfHistory(_ r: RequestID, _ parameters: QueryParameters) {
    let query: UDFQuery
    do {
      query = try UDFQuery.parse(parameters, timeframes: engine.timeframes) { udfSeries($0) }
    } catch {
      return fail(r, error)
    }
    let range = SeriesRange(
      symbol: query.symbol, timeframe: query.timeframe, from: query.countback == nil ? query.from : nil, to: query.to,
      limit: query.countback ?? UDFQuery.maximumBars, takesNewest: true, forming: true)
    answer(r, with: range) { rows in
      (200, rows.candles.isEmpty ? UDFAnswer.noData(next: rows.before) : UDFAnswer.history(rows.candles))
    }
  }
}
