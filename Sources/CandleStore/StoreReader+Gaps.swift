import CandleCore

extension StoreReader {
  /// All gaps of a symbol, in the order of their beginnings.
  public func gaps(symbol: String) throws(StoreError) -> [StoredGap] {
    try gaps(symbol: symbol, from: .min, limit: .max)
  }

  /// Some gaps of a symbol, in the order of their beginnings.
  /// - Parameters:
  ///   - from: where the first begins, inclusive; nil takes the newest `limit` before `to`.
  ///   - to: exclusive.
  public func gaps(
    symbol: String, from: Milliseconds?, to: Milliseconds = .max, limit: Int
  ) throws(StoreError) -> [StoredGap] {
    let statement = try connection.statement(
      """
      SELECT symbol, from_time, to_time, reason, filled, version FROM gap
      WHERE symbol = ?1 AND from_time >= ?2 AND from_time < ?3 ORDER BY from_time \(from == nil ? "DESC" : "ASC") LIMIT ?4
      """, for: .read)
    defer { statement.reset() }
    statement.bind(1, symbol)
    statement.bind(2, from ?? .min)
    statement.bind(3, to)
    statement.bind(4, Int64(limit))
    let gaps = try statement.gaps()
    return from == nil ? gaps.reversed() : gaps
  }

  /// The gaps of all symbols that began, ended or were filled last, in the order of symbol and beginning.
  public func newestGaps(limit: Int) throws(StoreError) -> [StoredGap] {
    let statement = try connection.statement(
      "SELECT symbol, from_time, to_time, reason, filled, version FROM gap ORDER BY version DESC LIMIT ?1",
      for: .read)
    defer { statement.reset() }
    statement.bind(1, Int64(limit))
    return try statement.gaps().sorted { ($0.symbol, $0.from) < ($1.symbol, $1.from) }
  }

  /// Gaps that have not ended.
  public func openGaps() throws(StoreError) -> [StoredGap] {
    let statement = try connection.statement(
      """
      SELECT symbol, from_time, to_time, reason, filled, version FROM gap WHERE to_time IS NULL
      ORDER BY symbol, from_time
      """, for: .read)
    defer { statement.reset() }
    return try statement.gaps()
  }
}

extension Statement {
  fileprivate func gaps() throws(StoreError) -> [StoredGap] {
    var gaps: [StoredGap] = []
    while try step() { gaps.append(try gap()) }
    return gaps
  }

  /// The gap of the current row: symbol, from_time, to_time, reason, filled, version.
  func gap() throws(StoreError) -> StoredGap {
    guard let reason = GapReason(rawValue: string(3)) else { throw damaged("gap.reason") }
    return StoredGap(
      symbol: string(0), from: integer(1), to: optionalInteger(2), reason: reason, filled: integer(4) != 0,
      version: integer(5))
  }
}
