import CandleCore

extension StoreReader {
  /// Gaps in the order of symbol and beginning.
  /// - Parameters:
  ///   - symbol: nil for all.
  ///   - limit: the most gaps to return.
  public func gaps(symbol: String? = nil, limit: Int = .max) throws(StoreError) -> [StoredGap] {
    let filter = symbol == nil ? "" : "WHERE symbol = ?1"
    let statement = try connection.statement(
      """
      SELECT symbol, from_time, to_time, reason, filled, version FROM gap \(filter) ORDER BY symbol, from_time LIMIT ?2
      """, for: .read)
    defer { statement.reset() }
    if let symbol { statement.bind(1, symbol) } else { statement.bindNull(1) }
    statement.bind(2, Int64(limit))
    var gaps: [StoredGap] = []
    while try statement.step() { gaps.append(try statement.gap()) }
    return gaps
  }

  /// Gaps that have not ended.
  public func openGaps() throws(StoreError) -> [StoredGap] {
    let statement = try connection.statement(
      """
      SELECT symbol, from_time, to_time, reason, filled, version FROM gap WHERE to_time IS NULL
      ORDER BY symbol, from_time
      """, for: .read)
    defer { statement.reset() }
    var gaps: [StoredGap] = []
    while try statement.step() { gaps.append(try statement.gap()) }
    return gaps
  }
}

extension Statement {
  /// The gap of the current row: symbol, from_time, to_time, reason, filled, version.
  func gap() throws(StoreError) -> StoredGap {
    guard let reason = GapReason(rawValue: string(3)) else { throw damaged("gap.reason") }
    return StoredGap(
      symbol: string(0), from: integer(1), to: optionalInteger(2), reason: reason, filled: integer(4) != 0,
      version: integer(5))
  }
}
