import CandleCore

/// What can be read of a database; all calls within one read see one state of it.
///
/// Valid only inside the closure that gets it. Its methods throw `StoreError` with the operation `read`.
public final class StoreReader {
  let connection: Connection
  /// Rows of `series` never change, so they are kept between reads.
  private var names: [Int64: (symbol: String, timeframe: Timeframe)] = [:]

  init(_ connection: Connection) { self.connection = connection }

  /// Runs `body` on one state of the database.
  func transaction<Value>(_ body: (StoreReader) throws(StoreError) -> Value) throws(StoreError) -> Value {
    try connection.execute("BEGIN", for: .read)
    // Nothing was written, so ending it either way is the same.
    defer { connection.rollBack() }
    return try body(self)
  }

  /// The name of the database, made when it was created.
  public func epoch() throws(StoreError) -> String { try connection.epoch() }

  /// The largest committed version, O(log n).
  public func lastVersion() throws(StoreError) -> Int64 { try connection.lastVersion(for: .read) }

  /// The largest version that retention or a replacement took away: a replay after a smaller one is not whole.
  public func droppedVersion() throws(StoreError) -> Int64 {
    try connection.integer("SELECT value FROM meta WHERE key = 'dropped_version'", for: .read) ?? 0
  }

  /// A number kept by `WriteBatch.marks`.
  public func mark(_ name: String) throws(StoreError) -> Int64? {
    let statement = try connection.statement("SELECT value FROM meta WHERE key = ?1", for: .read)
    defer { statement.reset() }
    statement.bind(1, "mark.\(name)")
    return try statement.step() ? statement.integer(0) : nil
  }

  /// All symbols with a series, in the order of their bytes.
  public func symbols() throws(StoreError) -> [String] {
    let statement = try connection.statement("SELECT DISTINCT symbol FROM series ORDER BY symbol", for: .read)
    defer { statement.reset() }
    var symbols: [String] = []
    while try statement.step() { symbols.append(statement.string(0)) }
    return symbols
  }

  /// All series by symbol and length, with the ends of each; two seeks a series.
  public func series() throws(StoreError) -> [StoredSeries] {
    let statement = try connection.statement(
      """
      SELECT symbol, timeframe, (SELECT min(open_time) FROM candle WHERE series = id),
        (SELECT max(open_time) FROM candle WHERE series = id) FROM series ORDER BY symbol
      """, for: .read)
    defer { statement.reset() }
    var all: [StoredSeries] = []
    while try statement.step() {
      guard let timeframe = Timeframe(statement.string(1)) else { throw statement.damaged("series.timeframe") }
      all.append(
        StoredSeries(
          symbol: statement.string(0), timeframe: timeframe, oldest: statement.optionalInteger(2),
          newest: statement.optionalInteger(3)))
    }
    all.sort { ($0.symbol, $0.timeframe) < ($1.symbol, $1.timeframe) }
    return all
  }

  /// Whether the series has ever been stored.
  public func exists(symbol: String, timeframe: Timeframe) throws(StoreError) -> Bool {
    try connection.seriesID(symbol: symbol, timeframe: timeframe, for: .read) != nil
  }

  /// Symbol and timeframe of a series.
  func name(series id: Int64) throws(StoreError) -> (symbol: String, timeframe: Timeframe) {
    if let known = names[id] { return known }
    let statement = try connection.statement("SELECT symbol, timeframe FROM series WHERE id = ?1", for: .read)
    defer { statement.reset() }
    statement.bind(1, id)
    guard try statement.step(), let timeframe = Timeframe(statement.string(1)) else {
      throw statement.damaged("series.timeframe")
    }
    let name = (statement.string(0), timeframe)
    names[id] = name
    return name
  }
}
