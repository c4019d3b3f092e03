import CandleCore
import CandleWire
import Testing

@Suite struct UDFAnswerTests {
  private func text(_ body: [UInt8]) -> String { String(decoding: body, as: UTF8.self) }

  @Test func aHistoryIsArraysOfOneLength() {
    var next = formingCandle
    next.openTime += 60_000
    #expect(
      text(UDFAnswer.history([exampleCandle, next]))
        == #"{"s":"ok","t":[1700000040,1700000100],"o":[36500.25,36500.25],"h":[36510,36510],"l":[36499.5,36499.5],"#
        + #""c":[36505.75,36505.75],"v":[12.345,12.345]}"#)
  }

  @Test func whereNothingIsOlderPagingEnds() {
    #expect(text(UDFAnswer.noData(next: nil)) == #"{"s":"no_data"}"#)
    #expect(text(UDFAnswer.noData(next: 1_700_000_040_000)) == #"{"s":"no_data","nextTime":1700000040}"#)
  }

  @Test func anErrorHasAText() {
    #expect(text(UDFError.unknownSymbol.body) == #"{"s":"error","errmsg":"unknown_symbol"}"#)
  }

  @Test func aSymbolOnlyHasWhatIsConfigured() throws {
    func symbol(_ timeframes: [Timeframe], _ digits: SymbolDigits) throws -> JSONValue {
      try #require(
        JSONValue(
          parsing: text(
            UDFAnswer.symbol(
              "TEST", assets: SymbolAssets(base: "TEST", quote: ""), digits: digits, timeframes: timeframes))))
    }
    let minutes = try symbol([.M1, .H4], SymbolDigits(price: 5, volume: 3))
    #expect(minutes["pricescale"]?.integer == 100_000 && minutes["volume_precision"]?.integer == 3)
    #expect(minutes["has_intraday"] == .bool(true) && minutes["has_daily"] == .bool(false))
    #expect(minutes["intraday_multipliers"] == .array([.string("1"), .string("240")]))
    #expect(minutes["currency_code"] == nil && minutes["description"]?.string == "TEST" && minutes["s"] == nil)
    let days = try symbol([.S5, .D1, .W1], SymbolDigits())
    #expect(days["has_intraday"] == .bool(false) && days["has_seconds"] == .bool(true))
    #expect(days["has_daily"] == .bool(true) && days["has_weekly_and_monthly"] == .bool(true))
    #expect(days["pricescale"]?.integer == 1)
  }
}
