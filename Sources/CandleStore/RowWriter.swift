import CandleCore

/// Writes batches through one connection, inside a transaction that its caller opens and ends.
final class RowWriter {
  let connection: Connection
  /// Names by the process's number of a symbol.
  private var names: [String?] = []
  /// Row ids of `series` by symbol × timeframe; 0 where not looked up yet.
  private var seriesIDs: [Int64] = []
  /// Places of `seriesIDs` filled in the open transaction; a rollback takes the rows away again.
  private var fresh: [Int] = []
  private var insert: Statement?

  init(_ connection: Connection) { self.connection = connection }

  /// Takes over the symbols of a writer whose connection broke.
  func adopt(_ other: RowWriter) {
    names = other.names
    seriesIDs = [Int64](repeating: 0, count: other.seriesIDs.count)
  }

  /// Ends the connection; the writer must not be used after.
  func close() {
    insert = nil
    connection.close()
  }

  func name(_ symbol: Int32, of id: String) {
    let index = Int(symbol)
    while names.count <= index {
      names.append(nil)
      for _ in Timeframe.allCases { seriesIDs.append(0) }
    }
    if names[index] != id {
      names[index] = id
      for slot in Timeframe.allCases.indices { seriesIDs[index * Timeframe.allCases.count + slot] = 0 }
    }
  }

  func symbolName(_ symbol: Int32) -> String {
    guard Int(symbol) < names.count, let name = names[Int(symbol)] else {
      preconditionFailure("symbol \(symbol) was never named to the store")
    }
    return name
  }

  func write(_ batch: WriteBatch) throws(StoreError) {
    for symbol in batch.symbols { name(symbol.id, of: symbol.name) }
    for row in batch.candles { try write(row) }
    for row in batch.indicators { try write(row) }
    for gap in batch.gaps { try write(gap) }
    for mark in batch.marks { try set("mark.\(mark.name)", mark.value) }
  }

  func write(_ row: CandleRow) throws(StoreError) {
    guard let indicators = row.indicators else { return try write(row.series, row.candle, nil) }
    let result = indicators.withUnsafeBytes { text -> Result<Void, StoreError> in
      do throws(StoreError) {
        return .success(try write(row.series, row.candle, text))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// - Parameter indicators: JSON text.
  func write(_ series: SeriesKey, _ candle: Candle, _ indicators: UnsafeRawBufferPointer?) throws(StoreError) {
    guard let settlement = candle.settlement else { preconditionFailure("a forming candle is never stored") }
    let statement = try insertStatement()
    statement.bind(series: try seriesID(series), candle: candle, settlement: settlement)
    guard let indicators else {
      statement.bindNull(20)
      return try statement.run()
    }
    // What is lent ends here.
    defer { statement.bindNull(20) }
    statement.bind(20, lent: indicators)
    try statement.run()
  }

  private func write(_ row: IndicatorRow) throws(StoreError) {
    let statement = try connection.statement(
      "UPDATE candle SET indicators = ?4 WHERE series = ?1 AND open_time = ?2 AND version = ?3", for: .write)
    statement.bind(1, try seriesID(row.series))
    statement.bind(2, row.openTime)
    statement.bind(3, row.version)
    row.text.withUnsafeBytes { statement.bind(4, text: $0) }
    try statement.run()
  }

  /// Kept apart from the connection's table of statements: a look-up by text for each row would show.
  private func insertStatement() throws(StoreError) -> Statement {
    if let insert { return insert }
    let prepared = try connection.statement(CandleColumns.insert, for: .write)
    insert = prepared
    return prepared
  }

  private func write(_ gap: Gap) throws(StoreError) {
    let statement = try connection.statement(
      """
      INSERT OR REPLACE INTO gap (symbol, from_time, to_time, reason, filled, version)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """,
      for: .write)
    statement.bind(1, symbolName(gap.symbol))
    statement.bind(2, gap.from)
    statement.bind(3, gap.to)
    statement.bind(4, gap.reason.rawValue)
    statement.bind(5, gap.filled ? 1 : 0)
    statement.bind(6, gap.version)
    try statement.run()
  }

  /// Sets a number in `meta`.
  func set(_ key: String, _ value: Int64) throws(StoreError) {
    let statement = try connection.statement("INSERT OR REPLACE INTO meta (key, value) VALUES (?1, ?2)", for: .write)
    statement.bind(1, key)
    statement.bind(2, value)
    try statement.run()
  }

  /// Raises a number in `meta`, never lowers it.
  func raise(_ key: String, to value: Int64) throws(StoreError) {
    let statement = try connection.statement("UPDATE meta SET value = ?2 WHERE key = ?1 AND value < ?2", for: .write)
    statement.bind(1, key)
    statement.bind(2, value)
    try statement.run()
  }

  /// To be called after each commit (true) and each rollback (false).
  func transactionEnded(committed: Bool) {
    if !committed { for place in fresh { seriesIDs[place] = 0 } }
    fresh.removeAll(keepingCapacity: true)
  }

  /// The row of a series, made if it is new.
  func seriesID(_ key: SeriesKey) throws(StoreError) -> Int64 {
    let place = Int(key.symbol) * Timeframe.allCases.count + Int(key.timeframe.rawValue)
    if place < seriesIDs.count, seriesIDs[place] != 0 { return seriesIDs[place] }
    let name = symbolName(key.symbol)
    var id = try connection.seriesID(symbol: name, timeframe: key.timeframe, for: .write)
    if id == nil {
      let statement = try connection.statement("INSERT INTO series (symbol, timeframe) VALUES (?1, ?2)", for: .write)
      statement.bind(1, name)
      statement.bind(2, key.timeframe.name)
      try statement.run()
      id = try connection.integer("SELECT last_insert_rowid()", for: .write)
      fresh.append(place)
    }
    seriesIDs[place] = id!
    return id!
  }
}

extension Connection {
  func seriesID(
    symbol: String, timeframe: Timeframe, for operation: StoreError.Operation
  ) throws(StoreError) -> Int64? {
    let statement = try statement("SELECT id FROM series WHERE symbol = ?1 AND timeframe = ?2", for: operation)
    defer { statement.reset() }
    statement.bind(1, symbol)
    statement.bind(2, timeframe.name)
    return try statement.step() ? statement.integer(0) : nil
  }
}
