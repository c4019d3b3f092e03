import CandleCore

extension StoreReader {
  private static let all = """
    SELECT \(CandleColumns.list) FROM candle INDEXED BY candle_version
    WHERE version > ?1 AND version <= ?2 ORDER BY version LIMIT ?3
    """
  /// The index carries the key of its row, so this reads nothing but the index.
  private static let keys = """
    SELECT version, series, open_time FROM candle INDEXED BY candle_version
    WHERE version > ?1 AND version <= ?2 ORDER BY version LIMIT ?3
    """
  private static let row = "SELECT \(CandleColumns.list) FROM candle WHERE series = ?1 AND open_time = ?2"

  /// Candles and gaps that changed after a version, each once, in its latest state, in version order.
  ///
  /// A candle that is corrected between two pages moves to its new version: beyond `upTo` it is the live stream's.
  /// With a selection the index is walked over other series' versions too, at most `scanLimit` of them a page, so a
  /// page may be empty and not the last; a walk over ten million takes about a second in all.
  /// - Parameters:
  ///   - version: 0, or `through` of the page before.
  ///   - upTo: the last version wanted.
  ///   - limit: the most candles, and the most gaps, in a page.
  ///   - selection: nil takes everything.
  public func changes(
    after version: Int64, upTo: Int64 = .max, limit: Int, selection: SeriesSelection? = nil, scanLimit: Int = 50_000
  ) throws(StoreError) -> ChangePage {
    let end = min(upTo, try lastVersion())
    if version >= end { return ChangePage(changes: [], through: max(version, end), isLast: true) }
    var (candles, through) =
      if let selection {
        try selectedCandles(version, end, limit, selection, scanLimit)
      } else {
        try allCandles(version, end, limit)
      }
    var (gaps, gapsEnd) = try changedGaps(version, through ?? end, limit)
    if let gapsEnd {
      through = gapsEnd
      candles.removeAll { $0.version > gapsEnd }
    }
    if let selection { gaps.removeAll { !selection.wantsGaps($0.symbol) } }
    return ChangePage(
      changes: merged(candles, gaps), through: through ?? end, isLast: through == nil || through == end)
  }

  /// - Returns: the candles, and the version reached if there may be more.
  private func allCandles(
    _ version: Int64, _ end: Int64, _ limit: Int
  ) throws(StoreError) -> ([StoredCandle], through: Int64?) {
    let statement = try connection.statement(Self.all, for: .read)
    defer { statement.reset() }
    statement.bind(1, version)
    statement.bind(2, end)
    statement.bind(3, Int64(limit))
    var candles: [StoredCandle] = []
    candles.reserveCapacity(min(limit, 10_000))
    while try statement.step() { candles.append(try stored(statement)) }
    return (candles, candles.count < limit ? nil : candles.last?.version)
  }

  private func selectedCandles(
    _ version: Int64, _ end: Int64, _ limit: Int, _ selection: SeriesSelection, _ scanLimit: Int
  ) throws(StoreError) -> ([StoredCandle], through: Int64?) {
    let keys = try connection.statement(Self.keys, for: .read)
    defer { keys.reset() }
    keys.bind(1, version)
    keys.bind(2, end)
    keys.bind(3, Int64(scanLimit))
    var candles: [StoredCandle] = []
    var through = version
    var scanned = 0
    while try keys.step() {
      scanned += 1
      through = keys.integer(0)
      guard try selection.wants(keys.integer(1), name(series:)) else { continue }
      let row = try connection.statement(Self.row, for: .read)
      defer { row.reset() }
      row.bind(1, keys.integer(1))
      row.bind(2, keys.integer(2))
      if try row.step() { candles.append(try stored(row)) }
      if candles.count == limit { return (candles, through) }
    }
    return (candles, scanned < scanLimit ? nil : through)
  }

  private func changedGaps(
    _ version: Int64, _ end: Int64, _ limit: Int
  ) throws(StoreError) -> ([StoredGap], through: Int64?) {
    let statement = try connection.statement(
      """
      SELECT symbol, from_time, to_time, reason, filled, version FROM gap INDEXED BY gap_version
      WHERE version > ?1 AND version <= ?2 ORDER BY version LIMIT ?3
      """, for: .read)
    defer { statement.reset() }
    statement.bind(1, version)
    statement.bind(2, end)
    statement.bind(3, Int64(limit))
    var gaps: [StoredGap] = []
    while try statement.step() { gaps.append(try statement.gap()) }
    return (gaps, gaps.count < limit ? nil : gaps.last?.version)
  }

  private func stored(_ row: Statement) throws(StoreError) -> StoredCandle {
    let (symbol, timeframe) = try name(series: row.integer(0))
    return StoredCandle(
      symbol: symbol, timeframe: timeframe, candle: try row.candle(), indicators: row.indicators())
  }

  private func merged(_ candles: [StoredCandle], _ gaps: [StoredGap]) -> [StoredChange] {
    var changes: [StoredChange] = []
    changes.reserveCapacity(candles.count + gaps.count)
    var gap = 0
    for candle in candles {
      while gap < gaps.count, gaps[gap].version < candle.version {
        changes.append(.gap(gaps[gap]))
        gap += 1
      }
      changes.append(.candle(candle))
    }
    for gap in gaps[gap...] { changes.append(.gap(gap)) }
    return changes
  }
}
