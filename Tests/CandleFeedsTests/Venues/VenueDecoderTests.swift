import CandleCore
import CandleFeeds
import Testing

@Suite struct VenueDecoderTests {
  @Test(arguments: tradeMessages) func tradesAreReadFieldByField(venue: Venue, message: String, lines: [String]) {
    let decoded = decode(venue, message)
    #expect(decoded.event == .trades)
    #expect(decoded.lines == lines)
    #expect(decoded.refused == [])
    for (tick, range) in zip(decoded.batch.ticks, decoded.batch.ranges) {
      let text = String(decoding: Array(message.utf8)[range], as: UTF8.self)
      #expect(text.first == "{" && text.last == "}", "\(tick): \(text)")
    }
  }

  @Test(arguments: [
    (Venue.binance, #"{"result":null,"id":2}"#, VenueEvent.subscribed(.request(2))),
    (.binance, #"{"result":["btcusdt@trade"],"id":0}"#, .ignored),
    (.binance, #"{"error":{"code":2,"msg":"bad"},"id":1}"#, .rejected(#"{"code":2,"msg":"bad"}"#)),
    (.binance, #"{"code":2,"msg":"Invalid request","id":1}"#, .rejected("Invalid request")),
    (.binance, #"{"e":"serverShutdown","E":1770123456789}"#, .reconnect("the server is about to shut down")),
    (
      .binance, #"{"stream":"!serverShutdown","data":{"e":"serverShutdown","E":1}}"#,
      .reconnect("the server is about to shut down")
    ),
    (.binance, #"{"stream":"btcusdt@depth","data":{"e":"depthUpdate","s":"BTCUSDT","b":[],"a":[]}}"#, .ignored),
    (.binance, #"{"e":"kline","s":"BTCUSDT","k":{"t":1,"o":"1"}}"#, .ignored), (.binance, "[1,2]", .ignored),
    (
      .bybit, #"{"success":true,"ret_msg":"subscribe","conn_id":"c","req_id":"3","op":"subscribe"}"#,
      .subscribed(.request(3))
    ),
    (
      .bybit, #"{"success":false,"ret_msg":"Invalid symbol","conn_id":"c","req_id":"3","op":"subscribe"}"#,
      .rejected("Invalid symbol")
    ),
    (.bybit, #"{"success":true,"ret_msg":"pong","conn_id":"c","req_id":"","op":"ping"}"#, .ignored),
    (.bybit, #"{"topic":"trade.BTCUSD","data":[{"symbol":"BTCUSD","price":"1","size":1}]}"#, .ignored),
    (
      .okx, #"{"event":"subscribe","arg":{"channel":"trades","instId":"BTC-USDT-SWAP"},"connId":"a"}"#,
      .subscribed(.symbol(1))
    ),
    (.okx, #"{"event":"subscribe","arg":{"channel":"tickers","instId":"BTC-USDT"}}"#, .ignored),
    (.okx, "pong", .ignored),
    (.okx, #"{"event":"error","msg":"Invalid request","code":"60012"}"#, .rejected("Invalid request")),
    (.okx, #"{"event":"notice","code":"64008","msg":"upgrade","connId":"a"}"#, .reconnect("upgrade")),
    (.okx, #"{"event":"channel-conn-count","channel":"trades","connCount":"1","connId":"a"}"#, .ignored),
    (
      .kraken,
      #"{"method":"subscribe","result":{"channel":"trade","snapshot":true,"symbol":"ETH/USD"},"success":true,"time_in":"x"}"#,
      .subscribed(.symbol(1))
    ),
    (
      .kraken, #"{"error":"Currency pair not supported X/Y","method":"subscribe","success":false,"symbol":"X/Y"}"#,
      .rejected("Currency pair not supported X/Y")
    ),
    (.kraken, #"{"channel":"heartbeat"}"#, .ignored),
    (.kraken, #"[321,[["57126.7","0.02","1616333924.737428","b","m",""]],"trade","XBT/USD"]"#, .ignored),
    (
      .coinbase, #"{"type":"subscriptions","channels":[{"name":"matches","product_ids":["BTC-USD"]}]}"#,
      .subscribed(.all)
    ),
    (.coinbase, #"{"type":"subscriptions","channels":[{"name":"level2","product_ids":["BTC-USD"]}]}"#, .ignored),
    (.coinbase, #"{"type":"error","message":"Failed","reason":"no such"}"#, .rejected("Failed: no such")),
    (
      .coinbase,
      #"{"type":"heartbeat","sequence":90,"last_trade_id":20,"product_id":"SKL-GBP","time":"2014-11-07T08:19:28.464459Z"}"#,
      .newest(symbol: 1, id: 20, time: 1_415_348_368_464)
    ),
    (
      .bitstamp, #"{"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}"#,
      .subscribed(.symbol(0))
    ),
    (.bitstamp, #"{"event":"bts:subscription_succeeded","channel":"diff_order_book_btcusd","data":{}}"#, .ignored),
    (.bitstamp, #"{"event":"bts:request_reconnect","channel":"","data":""}"#, .reconnect("the venue asks for it")),
    (.hitbtc, #"{"jsonrpc":"2.0","result":true,"id":2}"#, .subscribed(.request(2))),
    (.hitbtc, #"{"result":{"ch":"trades","subscriptions":["BTCUSDT"]},"id":1}"#, .subscribed(.request(1))),
    (
      .hitbtc, #"{"error":{"code":2001,"message":"Symbol not found"},"id":1}"#,
      .rejected(#"{"code":2001,"message":"Symbol not found"}"#)
    ),
    (.hitbtc, #"{"error":{"code":-32601,"message":"Method not found"},"id":0}"#, .ignored),
    (
      .hitbtc, #"{"jsonrpc":"2.0","method":"updateCandles","params":{"data":[],"symbol":"DNTBTC","period":"M1"}}"#,
      .ignored
    ),
  ])
  func otherMessagesSayWhatToDo(venue: Venue, message: String, event: VenueEvent) {
    let decoded = decode(venue, message)
    #expect(decoded.event == event)
    #expect(decoded.batch.ticks.isEmpty && decoded.refused == [])
  }

  @Test(arguments: Venue.allCases) func textThatIsNoJSONIsRefusedWhole(venue: Venue) {
    for text in ["", "no", #"{"e":"trade""#, "{} {}", "[1,]", "<html>"] {
      let decoded = decode(venue, text)
      #expect(decoded.event == .malformed && decoded.refused == [.malformed], "\(text)")
      #expect(decoded.batch.refused.first?.range == 0..<text.utf8.count)
    }
  }

  @Test func aBadTradeNeverHurtsTheOthersOfItsMessage() {
    let trades = [
      #"{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"1","p":"100","i":"1"}"#,
      #"{"T":"x","s":"BTCUSDT","S":"Buy","v":"1","p":"100","i":"2"}"#,
      #"{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"1","p":"0","i":"3"}"#,
      #"{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"-1","p":"1","i":"4"}"#,
      #"{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"1","p":"1.1234567890123456789","i":"5"}"#,
      #"{"T":1672304486865,"s":"OTHER","S":"Buy","v":"1","p":"1","i":"6"}"#,
      #"{"s":"BTCUSDT","S":"Buy","v":"1","p":"1","i":"7"}"#, "7", "null",
      #"{"T":1672304486865,"s":"BTCUSDT","S":"Huh","v":null,"p":{"a":1},"i":"8"}"#,
      #"{"T":1672304486866,"s":"BTCUSDT","S":"Huh","v":null,"p":101,"i":null}"#,
    ]
    let message = #"{"topic":"publicTrade.BTCUSDT","data":["# + trades.joined(separator: ",") + "]}"
    let decoded = decode(.bybit, message)
    #expect(decoded.lines == ["0 1672304486865000000 100 1 1 buy", "0 1672304486866000000 101 0 none unknown"])
    #expect(decoded.batch.lines == [1, 11])
    #expect(
      decoded.refused == [
        .badTimestamp, .badPrice, .badVolume, .precision, .unknownSymbol, .malformed, .malformed, .malformed, .badPrice,
      ])
    #expect(decoded.batch.refused.map(\.line) == [2, 3, 4, 5, 6, 7, 8, 9, 10])
    for (refused, trade) in zip(decoded.batch.refused, trades[1...9]) {
      #expect(String(decoding: Array(message.utf8)[refused.range], as: UTF8.self) == trade)
    }
  }

  @Test func pricesOfZeroAndBelowAreTakenWhereTheFeedAllowsThem() {
    let decoder = VenueDecoder(.binance, symbols: [("BTCUSDT", 0)], allowsNonpositivePrice: true)
    let decoded = decode(
      decoder, Array(#"{"e":"trade","s":"BTCUSDT","t":1,"p":"-1.5","q":"1","T":1700000040123}"#.utf8))
    #expect(decoded.lines == ["0 1700000040123000000 -1.5 1 1 unknown"])
  }
}
