import CandleCore

extension StoreReader {
  private static let ascending = """
    SELECT \(CandleColumns.list) FROM candle
    WHERE series = ?1 AND open_time >= ?2 AND open_time < ?3 ORDER BY open_time LIMIT ?4
    """
  private static let descending = """
    SELECT \(CandleColumns.list) FROM candle
    WHERE series = ?1 AND open_time >= ?2 AND open_time < ?3 ORDER BY open_time DESC LIMIT ?4
    """

  /// Candles of one series, oldest first.
  /// - Parameters:
  ///   - from: first open time, inclusive, in Unix milliseconds.
  ///   - to: exclusive.
  ///   - limit: the most candles to return.
  ///   - newest: takes the newest of the range, else the oldest.
  /// - Returns: nothing for an unknown series.
  public func candles(
    symbol: String, timeframe: Timeframe, from: Milliseconds = .min, to: Milliseconds = .max, limit: Int,
    newest: Bool = false
  ) throws(StoreError) -> [Candle] {
    var candles: [Candle] = []
    candles.reserveCapacity(min(limit, 10_000))
    try scan(symbol, timeframe, from, to, limit, newest) { row throws(StoreError) in
      candles.append(try row.candle())
    }
    if newest { candles.reverse() }
    return candles
  }

  /// The same with the stored indicators.
  public func storedCandles(
    symbol: String, timeframe: Timeframe, from: Milliseconds = .min, to: Milliseconds = .max, limit: Int,
    newest: Bool = false
  ) throws(StoreError) -> [StoredCandle] {
    var rows: [StoredCandle] = []
    try scan(symbol, timeframe, from, to, limit, newest) { row throws(StoreError) in
      rows.append(
        StoredCandle(symbol: symbol, timeframe: timeframe, candle: try row.candle(), indicators: row.indicators()))
    }
    if newest { rows.reverse() }
    return rows
  }

  /// The `count` candles before a moment, oldest first: what indicators warm up on.
  public func candlesBefore(
    symbol: String, timeframe: Timeframe, before: Milliseconds, count: Int
  ) throws(StoreError) -> [Candle] {
    try candles(symbol: symbol, timeframe: timeframe, to: before, limit: count, newest: true)
  }

  /// The newest candle.
  public func lastCandle(symbol: String, timeframe: Timeframe) throws(StoreError) -> Candle? {
    try candles(symbol: symbol, timeframe: timeframe, limit: 1, newest: true).first
  }

  /// Open time of the first candle that is complete from ticks.
  public func firstComplete(symbol: String, timeframe: Timeframe) throws(StoreError) -> Milliseconds? {
    guard let id = try connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) else { return nil }
    let statement = try connection.statement(
      "SELECT open_time FROM candle WHERE series = ?1 AND complete = 1 AND origin = 0 ORDER BY open_time LIMIT 1",
      for: .read)
    defer { statement.reset() }
    statement.bind(1, id)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The candle with an open time.
  public func candle(symbol: String, timeframe: Timeframe, openTime: Milliseconds) throws(StoreError) -> Candle? {
    try candles(symbol: symbol, timeframe: timeframe, from: openTime, to: openTime + 1, limit: 1).first
  }

  /// Walks over a series without keeping it in memory, oldest first.
  /// - Parameter body: returns false to stop.
  public func forEachCandle(
    symbol: String, timeframe: Timeframe, from: Milliseconds = .min, to: Milliseconds = .max,
    _ body: (Candle, _ indicators: [UInt8]?) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let id = try connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) else { return }
    let statement = try connection.statement(Self.ascending, for: .read)
    defer { statement.reset() }
    statement.bind(1, id)
    statement.bind(2, from)
    statement.bind(3, to)
    statement.bind(4, -1)
    while try statement.step() {
      if try body(statement.candle(), statement.indicators()) == false { return }
    }
  }

  /// Number of candles of a series in a range.
  public func count(
    symbol: String, timeframe: Timeframe, from: Milliseconds = .min, to: Milliseconds = .max
  ) throws(StoreError) -> Int {
    guard let id = try connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) else { return 0 }
    let statement = try connection.statement(
      "SELECT count(*) FROM candle WHERE series = ?1 AND open_time >= ?2 AND open_time < ?3", for: .read)
    defer { statement.reset() }
    statement.bind(1, id)
    statement.bind(2, from)
    statement.bind(3, to)
    return try statement.step() ? Int(statement.integer(0)) : 0
  }

  private func scan(
    _ symbol: String, _ timeframe: Timeframe, _ from: Milliseconds, _ to: Milliseconds, _ limit: Int, _ newest: Bool,
    _ body: (Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard limit > 0, let id = try connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) else { return }
    let statement = try connection.statement(newest ? Self.descending : Self.ascending, for: .read)
    defer { statement.reset() }
    statement.bind(1, id)
    statement.bind(2, from)
    statement.bind(3, to)
    statement.bind(4, Int64(limit))
    while try statement.step() { try body(statement) }
  }
}
