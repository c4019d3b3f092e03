import CandleCore
import CandleFeeds
import Testing

@Suite struct HistoryFileTests {
  @Test func theHeaderNamesTheColumnsInAnyOrder() throws {
    let text = """
      \u{feff}Volume, "close",LOW,high,open,note,count,turnover,taker_buy_volume,timestamp
      12.345,36505.75,36499.5,36510,36500.25,hello,482,450658.31,6.1,1700000040

      ,2,1,3,1,,,,,"1700000100"
      """
    let answer = try read(file: .csv, text).get()
    var row = plainRow
    row.turnover = "450658.31"
    row.ticks = 482
    row.takerBuyVolume = "6.1"
    #expect(answer.rows == [row, HistoryRow(openTime: minute + 60_000, open: "1", high: "3", low: "1", close: "2")])
    #expect(answer.refused == 0)
  }

  @Test func withoutAHeaderTheOrderIsFixed() throws {
    for time in ["1700000040", "1700000040.0", "1700000040000", "1700000040000000", "1700000040000000000"] {
      let text = "\(time),36500.25,36510,36499.5,36505.75,12.345\n"
      #expect(try read(file: .csv, text).get().rows == [plainRow], "\(time)")
      #expect(try read(file: .csv, "\(time),36500.25,36510,36499.5,36505.75").get().rows.count == 1)
    }
  }

  @Test func aHeaderThatLacksAColumnIsAnError() {
    #expect(read(file: .csv, "open_time,open,high,close\n1,1,1,1").error == .noColumn("low"))
    #expect(read(file: .csv, "date,open,high,low,close\n1,1,1,1,1").error == .noColumn("open_time"))
    #expect(read(file: .csv, "Not Found").error == .otherDocument(start: "Not Found"))
    #expect(read(file: .csv, "<html>\n</html>\n").error?.shortForm == "other_document")
    #expect(try! read(file: .csv, "open_time,open,high,low,close\n").get() == HistoryAnswer())
  }

  @Test func aRowMustHaveAsManyFieldsAsTheHeader() throws {
    let header = "open_time,open,high,low,close,volume\n"
    let answer = try read(
      file: .csv, header + "1700000040,1,1,1,1\n1700000040,1,1,1,1,1,1\n1700000100,1,1,1,1,1"
    ).get()
    #expect(answer.refused(.malformed) == 2)
    #expect(answer.rows.map(\.openTime) == [minute + 60_000])
  }

  @Test func millisecondsOfOldTimesWhereTheHeaderSaysSo() throws {
    let line = "31536000000,1,1,1,1,1\n"
    #expect(
      try read(file: .csv, "open_ms,open,high,low,close,volume\n" + line).get().rows.map(\.openTime) == [31_536_000_000]
    )
  }

  @Test func zxklineOneTextALine() throws {
    let text = "1700000100,2,1,3,0.5,7\r\n\r\n1700000040,36505.75,36500.25,36510,36499.5,12.345"
    #expect(try read(file: .zxkline, text).get().rows.map(\.openTime) == [minute, minute + 60_000])
    #expect(try read(file: .zxkline, goldenBodies[0].body).get().rows.first == plainRow)
    // Over HTTP half of it could not be told from the whole.
    #expect(read(.zxkline, text).error?.shortForm == "other_document")
  }

  @Test func binancesArchives() throws {
    let line =
      "1700000040000000,36500.25,36510.0,36499.5,36505.75,12.345,1700000099999999,450658.31,482,6.1,222683.0,0\n"
    let header =
      "open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n"
    var row = plainRow
    row.turnover = "450658.31"
    row.ticks = 482
    row.takerBuyVolume = "6.1"
    #expect(try read(file: .binance, line).get().rows == [row])
    #expect(try read(file: .binance, header + line).get().rows == [row])
    #expect(try read(file: .csv, header + line).get().rows == [row])
    #expect(try read(file: .binance, goldenBodies[2].body).get().rows == [row])
  }

  @Test func jsonInItsForms() throws {
    let a =
      #"{"open_time":1700000040000,"open":36500.25,"high":36510,"low":36499.5,"close":"36505.75","volume":12.345}"#
    let b = a.replacing("1700000040000", with: "1700000100000")
    let page = #"{"candles":[\#(a)],"next":1}"#
    for text in [
      "[\(a),\(b)]", "\(a)\n\n\(b)\n", "{\"candles\":[\n\(a),\n\(b)]}", "\(page)\n{\"candles\":[\(b)]}", "\(b)\n\(a)",
    ] {
      #expect(try read(file: .json, text).get().rows.map(\.openTime) == [minute, minute + 60_000], "\(text)")
    }
    #expect(try read(file: .json, a.replacing(",", with: ",\n")).get().rows == [plainRow])
    #expect(try read(file: .json, "\(a)\n\(b.dropLast())\n").get().refused(.malformed) == 1)
    #expect(read(file: .json, "{\"candles\":[\n\(a),\n\(b)").error == .cut)
    #expect(read(file: .json, "{\"x\":1}\n{}").error?.shortForm == "other_document")
    #expect(try read(file: .json, "{\"candles\":[]}\n{\"candles\":[]}").get().rows.isEmpty)
  }

  @Test func rowsOfOtherSymbolsAreIgnored() throws {
    let row = #"{"symbol":"ETH","open_time":1700000040000,"open":1,"high":1,"low":1,"close":1}"#
    let text = "\(row)\n\(row.replacing("ETH", with: "BTC").replacing("0040000", with: "0100000"))"
    let answer = try read(file: .json, text, symbol: "ETH").get()
    #expect(answer.rows.map(\.openTime) == [minute])
    #expect(answer.outside == 1)
    let csv = "symbol,open_time,open,high,low,close\nETH,1700000040,1,1,1,1\nBTC,1700000100,1,1,1,1"
    #expect(try read(file: .csv, csv, symbol: "BTC").get().rows.map(\.openTime) == [minute + 60_000])
    #expect(try read(file: .csv, csv).get().rows.count == 2)
  }
}
