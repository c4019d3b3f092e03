import CandleCore
import CandleEngine
import CandleNet
import CandleStore
import CandleWire

extension Daemon {
  /// Reads candles and answers with what they are encoded to, which happens on the reader's thread.
  ///
  /// What forms is taken before the store is read: its predecessors are published then, so that the store has them.
  func answer(
    _ r: RequestID, with range: SeriesRange, contentType: String = "application/json",
    encode: @escaping @Sendable (SeriesRows) -> (status: Int, body: [UInt8])
  ) {
    let plan = range.indicators ? engine.plan : nil
    let cold = plan == nil ? [] : engine.coldSeries { $0 == range.symbol && $1 == range.timeframe && range.forming }
    warm(cold) { [self] in
      let forming = range.forming ? self.forming(range) : nil
      store.read { store throws(StoreError) in
        let isNewest = range.from == nil || range.takesNewest
        var candles = try store.candles(
          symbol: range.symbol, timeframe: range.timeframe, from: range.from ?? .min, to: range.to,
          limit: isNewest ? range.limit : range.limit + 1, newest: isNewest)
        // A next page follows: what forms is on a later one.
        let hasNext = candles.count > range.limit
        if hasNext { candles.removeLast() }
        var values = try store.values(of: candles, symbol: range.symbol, timeframe: range.timeframe, plan: plan)
        if let forming, !hasNext, forming.candle.openTime == candles.last?.openTime {
          candles.removeLast()
          values.removeLast()
        }
        if let forming, !hasNext, forming.candle.openTime > candles.last?.openTime ?? .min {
          if range.countsForming, candles.count == range.limit {
            if isNewest {
              candles.removeFirst()
              values.removeFirst()
            }
          }
          if !range.countsForming || candles.count < range.limit {
            candles.append(forming.candle)
            values.append(forming.values)
          }
        }
        var rows = SeriesRows(candles: candles, values: values)
        if candles.isEmpty {
          rows.before = try store.candlesBefore(
            symbol: range.symbol, timeframe: range.timeframe, before: min(range.from ?? range.to, range.to), count: 1
          ).last?.openTime
        }
        return encode(rows)
      } completion: { [self] result in
        loop.post { [self] in
          switch result {
          case .failure(let error): fail(r, .unavailable(error.short))
          case .success(let (status, body)): answer(r, body, contentType: contentType, status: status)
          }
        }
      }
    }
  }

  private func forming(_ range: SeriesRange) -> (candle: Candle, values: [Double]?)? {
    guard let symbol = engine.number(of: range.symbol),
      let candle = engine.forming(symbol, position: position(range.timeframe)),
      candle.openTime >= range.from ?? .min, candle.openTime < range.to
    else { return nil }
    return (candle, range.indicators ? engine.formingValues(symbol, position: position(range.timeframe), candle) : nil)
  }

  /// The answer of `/v1/candles?format=…`.
  func answer(_ r: RequestID, _ query: CandleQuery) {
    let format = query.format
    let time = engine.clock.now ?? instant.wall
    let keys = IndicatorKeys(query.indicators ? engine.plan?.keys ?? [] : [])
    let range = SeriesRange(
      symbol: query.symbol, timeframe: query.timeframe, from: query.from, to: query.to ?? .max, limit: query.limit,
      forming: query.forming, countsForming: false, indicators: query.indicators && format.hasIndicators)
    answer(r, with: range, contentType: format.contentType) { rows in
      let out = ByteWriter(capacity: 512 * (rows.candles.count + 1))
      CandleDialect(format, keys: keys).writeHistory(rows.candles, rows.values, time: time, to: out)
      return (200, out.array)
    }
  }
}
