import CandleCore
import CandleFeeds
import CandleWire
import Testing

@Suite struct HistoryBodyTests {
  @Test func zxklineTellsSecondsAndTheCloseFirst() throws {
    let answer = try read(.zxkline, goldenBodies[0].body).get()
    let second = HistoryRow(
      openTime: minute + 60_000, open: "1", high: "3", low: "0.5", close: "2", volume: "7")
    #expect(answer.rows == [plainRow, second])
    #expect(answer.refused == 0)
  }

  @Test func candledKeepsWhatTheSourceKnows() throws {
    let answer = try read(.candled, goldenBodies[1].body, symbol: "BTCUSDT").get()
    var row = plainRow
    row.turnover = "450658.31"
    row.ticks = 482
    #expect(answer.rows == [row])
    #expect(answer.next == minute + 60_000)
    #expect(
      answer.rows[0].content
        == CandleContent(
          open: "36500.25", high: "36510", low: "36499.5", close: "36505.75", volume: "12.345", turnover: "450658.31",
          takerBuyVolume: nil, ticks: 482))
  }

  @Test func binanceCountsTradesAndTheTakersSide() throws {
    var row = plainRow
    row.turnover = "450658.31"
    row.ticks = 482
    row.takerBuyVolume = "6.1"
    #expect(try read(.binance, goldenBodies[2].body).get().rows == [row])
    let numbers = "[[1700000040000,36500.25,36510,36499.5,36505.75,12.345,1700000099999,450658.31,482,6.1,0,0]]"
    #expect(try read(.binance, numbers).get().rows == [row])
    let short = #"[[1700000040000,"36500.25","36510","36499.5","36505.75","12.345"]]"#
    #expect(try read(.binance, short).get().rows == [plainRow])
    let micros = goldenBodies[2].body.replacing("1700000040000", with: "1700000040000000")
      .replacing("1700000099999", with: "1700000099999999")
    #expect(try read(.binance, micros).get().rows == [row])
  }

  @Test func formingRowsAreLeftOut() throws {
    let forming = goldenBodies[1].body.replacing("\"state\":\"closed\"", with: "\"state\":\"forming\"")
    let answer = try read(.candled, forming).get()
    #expect(answer.rows.isEmpty)
    #expect(answer.forming == 1)
    let corrected = goldenBodies[1].body.replacing("\"closed\"", with: "\"corrected\"")
    #expect(try read(.candled, corrected).get().rows.count == 1)
  }

  @Test func aSourceThatDidNotListenSaysSo() throws {
    let body = goldenBodies[1].body.replacing("\"complete\":true", with: "\"complete\":false")
    #expect(try read(.candled, body).get().rows.map(\.complete) == [false])
  }

  @Test func rowsComeInAnyOrderAndTheLastOfADoubledTimeWins() throws {
    let body = #"["1700000160,1,1,1,1,1","1700000040,2,2,2,2,2","1700000160,3,3,3,3,3","1700000100,4,4,4,4,4"]"#
    let answer = try read(.zxkline, body).get()
    #expect(answer.rows.map(\.openTime) == [minute, minute + 60_000, minute + 120_000])
    #expect(answer.rows.map(\.close) == ["2", "4", "3"])
    #expect(answer.doubled == 1)
    // A bad row does not take the place of a good one.
    let worse = #"["1700000040,2,2,2,2,2","1700000040,2,2,1,2,2"]"#
    #expect(try read(.zxkline, worse).get().rows.map(\.close) == ["2"])
  }

  @Test func rowsNotAskedForAreIgnoredWhateverTheyHold() throws {
    let body = #"["1700000040,1,1,1,1,1","1700000100,1,1,1,1,1","1700000160,1,1,1,1,1","1700000161,x,1,1,1,1"]"#
    let answer = try read(.zxkline, body, asked: minute + 60_000..<minute + 120_000).get()
    #expect(answer.rows.map(\.openTime) == [minute + 60_000])
    #expect(answer.outside == 3)
    #expect(answer.refused == 0)
  }

  @Test func whatTheDaemonWritesComesBack() throws {
    let content = CandleContent(
      open: "0.000000000000000001", high: "2", low: "-3", close: "1.5",
      volume: FixedSum(coefficient: 12_345_678_901_234_567_890_123, scale: 18),
      turnover: FixedSum(coefficient: -98_765_432_109_876_543_210_987_654_321_098_765_432, scale: 36),
      takerBuyVolume: "1", ticks: 9_000_000_000)
    // 1971: fewer digits than today's seconds have in milliseconds.
    let candle = Candle(
      openTime: 31_536_000_000, content: content, origin: .ticks, complete: false,
      settlement: Settlement(revision: 3, settledBy: .clock, version: 77))
    let csv = ByteWriter()
    csv.write(CandleCSV.header)
    CandleCSV.write(candle, to: csv)
    let json = ByteWriter()
    CandleJSON.write(candle, symbol: "A/B", timeframe: .M5, keys: .none, values: nil, to: json)
    for answer in [
      read(file: .csv, csv.string, timeframe: .M5), read(file: .json, json.string, timeframe: .M5, symbol: "A/B"),
      read(file: .json, "[\(json.string)]\n", timeframe: .M5),
      read(.candled, "{\"candles\":[\(json.string)]}", timeframe: .M5),
    ] {
      let rows = try answer.get().rows
      #expect(rows.map(\.content) == [content])
      #expect(rows.map(\.openTime) == [candle.openTime])
      #expect(rows.map(\.complete) == [false])
    }
  }
}
