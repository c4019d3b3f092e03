import CandleCore

/// Deletes what is old, a limited number of rows at a time, between the transactions of the writer.
struct Retention: Sendable {
  enum Subject: Sendable {
    /// Candles of a timeframe that open earlier.
    case candles(Timeframe)
    /// Gaps that ended earlier.
    case gaps
  }

  let subject: Subject
  let before: Milliseconds
  let rowsPerStep: Int64
  let completion: @Sendable (Result<Int64, StoreError>) -> Void
  /// Deleted so far.
  private(set) var deleted: Int64 = 0
  private(set) var isDone = false
  /// Series up to this row id are finished.
  private var series: Int64 = 0
  /// Gaps of symbols up to this one are finished.
  private var symbol = ""

  /// Series, or symbols, looked at in one step: most have nothing to delete, and a look costs a few microseconds.
  private static let looksPerStep = 1_000

  init(
    _ subject: Subject, before: Milliseconds, rowsPerStep: Int64,
    completion: @escaping @Sendable (Result<Int64, StoreError>) -> Void
  ) {
    self.subject = subject
    self.before = before
    self.rowsPerStep = max(1, rowsPerStep)
    self.completion = completion
  }

  /// Deletes up to `rowsPerStep` rows; to be run in a transaction.
  mutating func step(_ rows: RowWriter) throws(StoreError) {
    switch subject {
    case .candles(let timeframe): try stepCandles(of: timeframe, rows)
    case .gaps: try stepGaps(rows)
    }
  }

  private mutating func stepCandles(of timeframe: Timeframe, _ rows: RowWriter) throws(StoreError) {
    let connection = rows.connection
    var room = rowsPerStep
    for _ in 0..<Self.looksPerStep {
      let next = try connection.statement(
        "SELECT id FROM series WHERE id > ?1 AND timeframe = ?2 ORDER BY id LIMIT 1", for: .retention)
      next.bind(1, series)
      next.bind(2, timeframe.name)
      guard try next.step() else {
        isDone = true
        return
      }
      let id = next.integer(0)
      next.reset()
      let count = try delete(upTo: room, of: id, rows)
      deleted += count
      room -= count
      if room == 0 { return }
      series = id
    }
  }

  private func delete(upTo limit: Int64, of series: Int64, _ rows: RowWriter) throws(StoreError) -> Int64 {
    let oldest = try rows.connection.statement(
      """
      SELECT count(*), max(open_time), max(version) FROM
        (SELECT open_time, version FROM candle WHERE series = ?1 AND open_time < ?2 ORDER BY open_time LIMIT ?3)
      """, for: .retention)
    oldest.bind(1, series)
    oldest.bind(2, before)
    oldest.bind(3, limit)
    guard try oldest.step() else { return 0 }
    let (count, last, version) = (oldest.integer(0), oldest.integer(1), oldest.integer(2))
    oldest.reset()
    if count == 0 { return 0 }
    let delete = try rows.connection.statement(
      "DELETE FROM candle WHERE series = ?1 AND open_time <= ?2", for: .retention)
    delete.bind(1, series)
    delete.bind(2, last)
    try delete.run()
    try rows.raise("dropped_version", to: version)
    return count
  }

  private mutating func stepGaps(_ rows: RowWriter) throws(StoreError) {
    var room = rowsPerStep
    for _ in 0..<Self.looksPerStep {
      let next = try rows.connection.statement(
        "SELECT symbol FROM gap WHERE symbol > ?1 ORDER BY symbol LIMIT 1", for: .retention)
      next.bind(1, symbol)
      guard try next.step() else {
        isDone = true
        return
      }
      let name = next.string(0)
      next.reset()
      let count = try deleteGaps(upTo: room, of: name, rows)
      deleted += count
      room -= count
      if room == 0 { return }
      symbol = name
    }
  }

  private func deleteGaps(upTo limit: Int64, of symbol: String, _ rows: RowWriter) throws(StoreError) -> Int64 {
    // Gaps of a symbol end in about the order in which they begin, so the walk along the key ends soon.
    let oldest = try rows.connection.statement(
      """
      SELECT count(*), max(from_time), max(version) FROM
        (SELECT from_time, version FROM gap WHERE symbol = ?1 AND from_time < ?2 AND to_time < ?2
         ORDER BY from_time LIMIT ?3)
      """, for: .retention)
    oldest.bind(1, symbol)
    oldest.bind(2, before)
    oldest.bind(3, limit)
    guard try oldest.step() else { return 0 }
    let (count, last, version) = (oldest.integer(0), oldest.integer(1), oldest.integer(2))
    oldest.reset()
    if count == 0 { return 0 }
    let delete = try rows.connection.statement(
      "DELETE FROM gap WHERE symbol = ?1 AND from_time <= ?2 AND to_time < ?3", for: .retention)
    delete.bind(1, symbol)
    delete.bind(2, last)
    delete.bind(3, before)
    try delete.run()
    try rows.raise("dropped_version", to: version)
    return count
  }
}
