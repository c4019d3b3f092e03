import CandleCore
import CandleStore
import Testing

@Suite struct ViewTests {
  @Test func theViewHasTheColumnsAndValuesOfTheContract() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    store.submit(batch([row(0, 0, version: 1)], symbols: [(0, "BTCUSDT")]))
    store.close()
    #expect(
      try shell(scratch.database, "SELECT group_concat(name) FROM pragma_table_info('candles')")
        == "symbol,timeframe,open_time,open,high,low,close,volume,turnover,taker_buy_volume,ticks,revision,settled_by,"
        + "origin,complete,version,indicators,opened_at")
    #expect(
      try shell(scratch.database, "SELECT * FROM candles")
        == "BTCUSDT|M1|1700000040000|36500.25|36510.0|36499.5|36505.75|12.345|450658.31||482|0|tick|ticks|1|1||"
        + "2023-11-14T22:14:00Z")
    #expect(
      try shell(
        scratch.database,
        "SELECT typeof(open), typeof(high), typeof(low), typeof(close), typeof(volume), typeof(turnover) FROM candles")
        == "real|real|real|real|real|real")
  }

  @Test func namesOfSettlementAndOrigin() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    var rows: [CandleRow] = []
    for (index, by) in [SettledBy.tick, .clock, .end, .history].enumerated() {
      var next = row(0, index, version: Int64(index) + 1)
      next.candle.settlement?.settledBy = by
      next.candle.origin = CandleOrigin(rawValue: UInt8(min(index, 2)))!
      rows.append(next)
    }
    store.submit(batch(rows, symbols: [(0, "X")]))
    store.close()
    #expect(
      try shell(scratch.database, "SELECT group_concat(settled_by), group_concat(origin) FROM candles")
        == "tick,clock,end,history|ticks,flat,history,history")
  }

  @Test func hugeNumbersAreTextUnderneathAndRealInTheView() throws {
    let scratch = try Scratch()
    var huge = row(0, 0, version: 1)
    huge.candle.content.volume = FixedSum(coefficient: 12_345_678_901_234_567_890_123, scale: 2)
    huge.candle.content.open = "0.000000000000000001"
    huge.candle.content.close = "999999999999999999"
    let store = try CandleStore.open(path: scratch.database)
    store.submit(batch([huge], symbols: [(0, "X")]))
    store.close()
    #expect(
      try shell(scratch.database, "SELECT volume, typeof(volume), open, typeof(high) FROM candle")
        == "123456789012345678901.23|text|0.000000000000000001|text")
    #expect(
      try shell(scratch.database, "SELECT volume, typeof(volume), open, high FROM candles")
        == "1.23456789012346e+20|real|1.0e-18|36510.0")
  }

  @Test func aRangeOfOneSeriesRunsOnTheKeyWithoutASorter() throws {
    let scratch = try Scratch()
    try CandleStore.open(path: scratch.database).close()
    for order in ["open_time", "open_time DESC LIMIT 500"] {
      let plan = try shell(
        scratch.database,
        """
        EXPLAIN QUERY PLAN SELECT * FROM candles
        WHERE symbol='X' AND timeframe='M1' AND open_time>=1 AND open_time<2 ORDER BY \(order)
        """)
      #expect(plan.contains("SEARCH s USING COVERING INDEX sqlite_autoindex_series_1 (symbol=? AND timeframe=?)"))
      #expect(plan.contains("SEARCH c USING PRIMARY KEY (series=? AND open_time>? AND open_time<?)"))
      #expect(!plan.contains("TEMP B-TREE"))
      #expect(!plan.contains("SCAN"))
    }
  }

  @Test func aReplayWalksAlongTheIndexOnVersion() throws {
    let scratch = try Scratch()
    try CandleStore.open(path: scratch.database).close()
    let keys = try shell(
      scratch.database,
      """
      EXPLAIN QUERY PLAN SELECT version, series, open_time FROM candle INDEXED BY candle_version
      WHERE version > 5 AND version <= 9 ORDER BY version LIMIT 10
      """)
    #expect(keys.contains("SEARCH candle USING COVERING INDEX candle_version (version>? AND version<?)"))
    #expect(!keys.contains("TEMP B-TREE"))
  }

  @Test func gapsAreIdentifiedByTheirBeginning() throws {
    let scratch = try Scratch()
    let store = try CandleStore.open(path: scratch.database)
    var open = WriteBatch()
    open.symbols = [(0, "X")]
    open.gaps = [Gap(symbol: 0, from: 1_000, to: nil, reason: .missedTrades, version: 1)]
    open.lastVersion = 1
    store.submit(open)
    _ = store.pendingBatches
    var ended = WriteBatch()
    ended.gaps = [Gap(symbol: 0, from: 1_000, to: 2_000, reason: .missedTrades, filled: true, version: 2)]
    ended.lastVersion = 2
    ended.gaps.append(Gap(symbol: 0, from: 3_000, to: nil, reason: .restart, version: 3))
    store.submit(ended)
    store.close()
    #expect(
      try shell(scratch.database, "SELECT symbol, from_time, to_time, reason, filled FROM gaps")
        == "X|1000|2000|missed_trades|1\nX|3000||restart|0")
    #expect(
      try shell(scratch.database, "SELECT group_concat(name) FROM pragma_table_info('gaps')")
        == "symbol,from_time,to_time,reason,filled")
    let (all, lasting) = try CandleArchive.open(path: scratch.database).read { reader throws(StoreError) in
      (try reader.gaps(symbol: "X"), try reader.openGaps())
    }
    #expect(all.map(\.version) == [2, 3])
    #expect(lasting.map(\.from) == [3_000])
  }
}
