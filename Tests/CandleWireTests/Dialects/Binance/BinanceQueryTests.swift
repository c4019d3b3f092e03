import CandleCore
import Testing

@testable import CandleWire

@Suite struct BinanceQueryTests {
  private func parse(_ query: String) throws(BinanceError) -> BinanceQuery {
    try BinanceQuery.parse(QueryParameters(query), timeframes: [.M1, .M5]) { $0 == "BTCUSDT" ? "BTC/USDT" : nil }
  }

  private func code(_ query: String) -> Int? {
    do throws(BinanceError) {
      _ = try parse(query)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func parametersComeInAnyOrder() throws {
    #expect(
      try parse("limit=7&endTime=2000&interval=5m&startTime=1000&symbol=BTCUSDT")
        == BinanceQuery(symbol: "BTC/USDT", timeframe: .M5, start: 1_000, end: 2_000, limit: 7))
    #expect(
      try parse("symbol=BTCUSDT&interval=1m&startTime=&limit=")
        == BinanceQuery(symbol: "BTC/USDT", timeframe: .M1, start: nil, end: nil, limit: 500))
    #expect(try parse("symbol=BTCUSDT&interval=1m&limit=5000").limit == 1_000)
  }

  @Test(arguments: [
    ("interval=1m", -1102), ("symbol=&interval=1m", -1102), ("symbol=BTCUSDT", -1102),
    ("symbol=BTC%20&interval=1m", -1100), ("symbol=NOPE&interval=1m", -1121), ("symbol=BTCUSDT&interval=3m", -1120),
    ("symbol=BTCUSDT&interval=1M", -1120), ("symbol=BTCUSDT&interval=1m&startTime=-1", -1100),
    ("symbol=BTCUSDT&interval=1m&endTime=1e3", -1100), ("symbol=BTCUSDT&interval=1m&limit=x", -1100),
    ("symbol=BTCUSDT&interval=1m&limit=0", -1130),
  ])
  func errorsHaveBinancesCodes(query: String, expected: Int) { #expect(code(query) == expected) }

  @Test func aTimeBeyondAllTimesIsTheLast() throws {
    let query = try parse("symbol=BTCUSDT&interval=1m&endTime=99999999999999999999")
    #expect(query.end == 1 << 60)
  }

  @Test func anErrorIsJSON() {
    #expect(
      String(decoding: BinanceError.invalidSymbol.body, as: UTF8.self) == #"{"code":-1121,"msg":"Invalid symbol."}"#)
  }
}
