import CandleCore
import CandleFeeds
import Testing

@Suite struct HistoryErrorTests {
  @Test(arguments: [
    ("", HistoryError.empty), (" \r\n", .empty), ("[", .cut), ("[\"1700000040,1,1,1,1,1\"", .cut),
    ("[\"1700000040,1,1,1", .cut), ("<html>\n<b>502</b>", .otherDocument(start: "<html> <b>502</b>")),
    ("null", .otherDocument(start: "null")), ("{}", .otherDocument(start: "{}")),
    ("[[1,2]]", .otherDocument(start: "[[1,2]]")), ("[]x", .notJSON(at: 2)), ("[\"a\";]", .notJSON(at: 4)),
    ("[\"a\",]", .notJSON(at: 5)),
    ("{\"code\":-1121,\"msg\":\"Invalid symbol.\"}", .sourceError("-1121 Invalid symbol.")),
    ("{\"error\":{\"code\":\"unknown_symbol\",\"message\":\"no\\nX\"}}", .sourceError("unknown_symbol no X")),
    ("{\"error\":\"later\"}", .sourceError("later")),
  ])
  func aBodyThatIsNoArrayOfTexts(body: String, error: HistoryError) {
    #expect(read(.zxkline, body).error == error)
  }

  @Test(arguments: HistoryFormat.allCases) func otherFormatsAreOtherDocuments(format: HistoryFormat) {
    // Rows of numbers are told apart by nothing but their places.
    let alike: Set<HistoryFormat> = [.binance, .binanceCOINM, .coinbase]
    for (other, body) in goldenBodies where other != format && !(alike.contains(format) && alike.contains(other)) {
      #expect(read(format, body).error?.shortForm == "other_document", "\(other) read as \(format)")
    }
  }

  @Test(arguments: HistoryFormat.allCases) func noRowsAreNoError(format: HistoryFormat) throws {
    let body =
      switch format {
      case .candled: #"{"candles":[],"next":null}"#
      case .bybit: #"{"retCode":0,"retMsg":"OK","result":{"list":[]}}"#
      case .okx: #"{"code":"0","msg":"","data":[]}"#
      case .kraken: #"{"error":[],"result":{"XXBTZUSD":[],"last":0}}"#
      case .bitstamp: #"{"data":{"pair":"BTC/USD","ohlc":[]}}"#
      case .zxkline, .binance, .binanceCOINM, .coinbase, .hitbtc: " [ ] \n"
      }
    #expect(try read(format, body).get() == HistoryAnswer())
  }

  @Test(arguments: 0..<3) func aBodyCutAtAnyByteGivesNothing(index: Int) {
    let (format, body) = goldenBodies[index]
    for length in 0..<body.utf8.count {
      let error = read(format, String(decoding: body.utf8.prefix(length), as: UTF8.self)).error
      #expect(error == (length == 0 ? .empty : .cut), "at \(length)")
    }
  }

  @Test func theAnswerOfAnotherSeriesIsAnError() {
    #expect(read(.candled, goldenBodies[1].body, timeframe: .M5).error == .otherSeries("M1"))
    #expect(read(.candled, goldenBodies[1].body, symbol: "ETHUSDT").error == .otherSeries("BTCUSDT"))
    let escaped = goldenBodies[1].body.replacing("BTCUSDT", with: #"BTC\/USD"#)
    #expect(try! read(.candled, escaped, symbol: "BTC/USD").get().rows.count == 1)
  }

  @Test func everyErrorHasAWordOfItsOwn() {
    let all: [HistoryError] = [
      .empty, .cut, .notJSON(at: 1), .otherDocument(start: "x"), .sourceError("x"), .otherSeries("x"), .noColumn("x"),
    ]
    #expect(Set(all.map(\.shortForm)).count == all.count)
    #expect(Set(all.map(\.description)).count == all.count)
  }
}
