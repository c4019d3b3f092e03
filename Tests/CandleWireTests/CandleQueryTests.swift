import CandleCore
import Testing

@testable import CandleWire

@Suite struct CandleQueryTests {
  private func parse(_ query: String) -> Result<CandleQuery, RequestError> {
    CandleQuery.parse(QueryParameters(query), timeframes: [.M1, .M5])
  }

  @Test func theDefaults() throws {
    #expect(
      try parse("symbol=BTCUSDT&timeframe=M1").get()
        == CandleQuery(
          symbol: "BTCUSDT", timeframe: .M1, from: nil, to: nil, limit: 500, indicators: true, forming: false))
  }

  @Test func everyParameter() throws {
    #expect(
      try parse("symbol=BTC%2FUSD&timeframe=M5&from=0&to=1700000000000&limit=10000&format=json&indicators=0&forming=1")
        .get()
        == CandleQuery(
          symbol: "BTC/USD", timeframe: .M5, from: 0, to: 1_700_000_000_000, limit: 10_000, indicators: false,
          forming: true))
  }

  @Test(arguments: [
    "", "timeframe=M1", "symbol=&timeframe=M1", "symbol=B", "symbol=B&timeframe=", "symbol=B&timeframe=m1",
    "symbol=B&timeframe=M15", "symbol=B&timeframe=M2", "symbol=B&timeframe=M1&limit=0",
    "symbol=B&timeframe=M1&limit=10001",
    "symbol=B&timeframe=M1&limit=-1", "symbol=B&timeframe=M1&limit=x", "symbol=B&timeframe=M1&limit=",
    "symbol=B&timeframe=M1&from=-1", "symbol=B&timeframe=M1&from=1.5", "symbol=B&timeframe=M1&to=x",
    "symbol=B&timeframe=M1&to=9223372036854775808", "symbol=B&timeframe=M1&indicators=2",
    "symbol=B&timeframe=M1&forming=yes", "symbol=B&timeframe=M1&format=nonsense",
  ])
  func whatIsWrongIsABadParameter(query: String) {
    guard case .failure(let error) = parse(query) else {
      Issue.record("accepted")
      return
    }
    #expect(error.status == 400 && error.code == "bad_parameter")
  }

  @Test func theBodyOfAnError() {
    #expect(
      String(decoding: RequestError.badParameter("limit: \"x\"").body, as: UTF8.self)
        == #"{"error":{"code":"bad_parameter","message":"limit: \"x\""}}"#)
    #expect(RequestError.unknownSymbol("X").status == 404 && RequestError.unknownSymbol("X").code == "unknown_symbol")
  }
}
