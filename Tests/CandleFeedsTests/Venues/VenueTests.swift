import CandleCore
import CandleFeeds
import CandleWire
import Testing

@Suite struct VenueTests {
  private func subscriptions(_ venue: Venue, _ symbols: [String], url: String? = nil) -> [VenueSubscription] {
    venue.subscriptions(symbols, url: url ?? venue.url)
  }

  @Test(arguments: [
    (Venue.binance, "BTCUSDT", #"{"method":"SUBSCRIBE","params":["btcusdt@trade"],"id":1}"#),
    (.bybit, "BTCUSDT", #"{"op":"subscribe","args":["publicTrade.BTCUSDT"],"req_id":"1"}"#),
    (.okx, "BTC-USDT", #"{"op":"subscribe","args":[{"channel":"trades","instId":"BTC-USDT"}]}"#),
    (
      .kraken, "BTC/USD",
      #"{"method":"subscribe","params":{"channel":"trade","symbol":["BTC/USD"],"snapshot":true},"req_id":1}"#
    ),
    (.coinbase, "BTC-USD", #"{"type":"subscribe","product_ids":["BTC-USD"],"channels":["matches","heartbeat"]}"#),
    (.bitstamp, "btcusd", #"{"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}"#),
    (
      .hitbtc, "BTCUSDT",
      #"{"method":"subscribe","ch":"trades","params":{"symbols":["BTCUSDT"],"limit":100},"id":1}"#
    ),
  ])
  func theRequestIsAsTheVenueDocumentsIt(venue: Venue, symbol: String, text: String) {
    #expect(subscriptions(venue, [symbol]) == [VenueSubscription(number: 1, text: text, symbols: 0..<1)])
  }

  @Test func hitbtcsOldAddressIsAskedInItsOldWay() {
    #expect(
      subscriptions(.hitbtc, ["A", "B"], url: "wss://api.hitbtc.com/api/2/ws").map(\.text) == [
        #"{"method":"subscribeTrades","params":{"symbol":"A","limit":100},"id":1}"#,
        #"{"method":"subscribeTrades","params":{"symbol":"B","limit":100},"id":2}"#,
      ])
  }

  @Test(arguments: Venue.allCases) func everySymbolIsAskedForOnceWithinTheLimits(venue: Venue) {
    let most: [Venue: Int] = [.bybit: 10, .binance: 256, .okx: 100, .bitstamp: 1, .hitbtc: 50, .kraken: 100]
    let symbols = (0..<venue.symbolsPerConnection).map { "S\($0)" }
    let requests = subscriptions(venue, symbols)
    #expect(requests.flatMap { Array($0.symbols) } == Array(symbols.indices))
    for request in requests {
      #expect(JSONValue(parsing: request.text) != nil)
      #expect(request.symbols.count <= most[venue] ?? 1_024)
      #expect(request.text.utf8.count < 65_536)
    }
    // Five messages a second.
    if venue == .binance { #expect(requests.count < 5) }
    #expect(subscriptions(venue, []) == [])
  }

  @Test(arguments: [
    (Venue.binanceUSDM, #"{"method":"UNSUBSCRIBE","params":["x@trade"],"id":7}"#),
    (.bybit, #"{"op":"unsubscribe","args":["publicTrade.X"],"req_id":"7"}"#),
    (.okx, #"{"op":"unsubscribe","args":[{"channel":"trades","instId":"X"}]}"#),
    (.kraken, #"{"method":"unsubscribe","params":{"channel":"trade","symbol":["X"]},"req_id":7}"#),
    (.coinbase, #"{"type":"unsubscribe","product_ids":["X"],"channels":["matches","heartbeat"]}"#),
    (.bitstamp, #"{"event":"bts:unsubscribe","data":{"channel":"live_trades_x"}}"#),
    (.hitbtc, #"{"method":"unsubscribe","ch":"trades","params":{"symbols":["X"]},"id":7}"#),
  ])
  func symbolsThatAreNotWantedAnyMoreAreCancelled(venue: Venue, text: String) {
    let plan = VenueSubscription.Plan(first: 7, cancels: true)
    #expect(
      venue.subscriptions(["X"], url: venue.url, plan) == [VenueSubscription(number: 7, text: text, symbols: 0..<1)])
  }

  @Test func numbersNeverChangeSinceJournalsHoldThem() {
    #expect(Venue.allCases.map(\.number) == [2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  }

  @Test func idsWithoutHolesAreThoseOfTheContract() {
    #expect(Venue.allCases.filter(\.hasContiguousIDs) == [.binance, .binanceUS, .kraken, .coinbase])
  }

  @Test(arguments: Venue.allCases) func theHistoryIsTheVenuesOwnOnlyOnItsOwnHost(venue: Venue) {
    #expect(venue.history(url: venue.url) != nil)
    #expect(venue.history(url: "ws://127.0.0.1:9001/ws") == nil)
    #expect(Venue.host(venue.url).contains("."))
  }

  @Test func theHistoryOfBybitIsOfTheCategoryThatIsDialled() {
    let base = "wss://stream.bybit.com/v5/public/"
    #expect(Venue.bybit.history(url: base + "linear")?.url.hasSuffix("category=linear") == true)
    #expect(Venue.bybit.history(url: base + "inverse") == nil)
  }

  @Test func hostsAreFoundInAddresses() {
    #expect(Venue.host("wss://user:pw@Stream.Binance.com:9443/ws?x") == "stream.binance.com")
    #expect(Venue.host("ws://[::1]:80/x") == "[::1")
    #expect(Venue.host("nothing") == "")
  }

  @Test func aHeartbeatThatIsJSONIsValid() {
    for venue in Venue.allCases {
      guard let duty = venue.duty(url: venue.url), duty.text != "ping" else { continue }
      #expect(JSONValue(parsing: duty.text) != nil && duty.every < 30_000)
    }
  }
}
