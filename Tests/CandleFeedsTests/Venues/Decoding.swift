import CandleCore
import CandleFeeds

/// What one message gave.
struct Decoded {
  var event: VenueEvent
  var batch: TickBatch

  var refused: [RefusalReason] { batch.refused.map(\.reason) }

  /// `symbol time_ns price volume id side` a tick.
  var lines: [String] {
    batch.ticks.map { tick in
      let id = tick.id.kind == .number ? "\(tick.id.low)" : "\(tick.id.kind)"
      return "\(tick.symbol) \(tick.time.nanoseconds) \(tick.price) \(tick.volume) \(id) \(tick.takerSide)"
    }
  }
}

/// Symbols of the messages in the tests, numbered from 0.
let venueSymbols: [Venue: [String]] = [
  .binance: ["BTCUSDT", "ethusdt"], .binanceUS: ["BTCUSDT"], .binanceUSDM: ["BTCUSDT"], .binanceCOINM: ["BTCUSD_PERP"],
  .bybit: ["BTCUSDT", "ETHUSDT"], .okx: ["BTC-USDT", "BTC-USDT-SWAP"], .kraken: ["BTC/USD", "ETH/USD"],
  .coinbase: ["BTC-USD", "SKL-GBP"], .bitstamp: ["BTCUSD", "ethusd"], .hitbtc: ["BTCUSDT", "DNTBTC"],
]

func decoder(_ venue: Venue) -> VenueDecoder {
  VenueDecoder(venue, symbols: venueSymbols[venue]!.enumerated().map { ($1, Int32($0)) })
}

func decode(_ venue: Venue, _ message: String) -> Decoded { decode(decoder(venue), Array(message.utf8)) }

func decode(_ decoder: VenueDecoder, _ message: [UInt8]) -> Decoded {
  var batch = TickBatch()
  let event = message.withUnsafeBytes { decoder.decode($0, into: &batch) }
  return Decoded(event: event, batch: batch)
}

/// One message with trades of every dialect, and the ticks that it holds.
let tradeMessages: [(venue: Venue, message: String, lines: [String])] = [
  (
    .binance,
    #"{"e":"trade","E":1700000040130,"s":"ETHUSDT","t":12345,"p":"2000.10","q":"0.50000000","T":1700000040123,"m":true,"M":true}"#,
    ["1 1700000040123000000 2000.1 0.5 12345 sell"]
  ),
  (
    .binance,
    #"{"stream":"btcusdt@trade","data":{"e":"trade","E":1672515782136123,"s":"BTCUSDT","t":7,"p":"0.001","q":"100","T":1672515782136000,"m":false,"M":true}}"#,
    ["0 1672515782136000000 0.001 100 7 buy"]
  ),
  (
    .binanceUS,
    #"{"stream":"btcusdt@aggTrade","data":{"e":"aggTrade","E":1,"s":"BTCUSDT","a":640283266,"p":"58942.01000000","q":"0.00035600","f":716849523,"l":716849524,"T":1616176861893,"m":false,"M":true}}"#,
    ["0 1616176861893000000 58942.01 0.000356 640283266 buy"]
  ),
  // S27: an unknown value of a field never costs the message.
  (
    .binanceUSDM,
    #"{"e":"trade","E":1700000040130,"T":1700000040123,"s":"BTCUSDT","t":5,"p":"36500.1","q":"0.001","X":"INSURANCE_FUND","m":true}"#,
    ["0 1700000040123000000 36500.1 0.001 5 sell"]
  ),
  (
    .binanceCOINM,
    #"{"e":"trade","E":1700000040130,"T":1700000040123,"s":"BTCUSD_PERP","t":6,"p":"36500.1","q":"10","X":"MARKET","m":false}"#,
    ["0 1700000040123000000 36500.1 10 6 buy"]
  ),
  (
    .bybit,
    #"{"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"0.001","p":"16578.50","L":"PlusTick","i":"20f43950-d8dd-5b31-9112-a178eb6023af","BT":false,"RPI":false,"seq":1783284617},{"T":1672304486866,"s":"BTCUSDT","S":"Sell","v":"2","p":"16578.40","i":"2290000000061666327","BT":false}]}"#,
    ["0 1672304486865000000 16578.5 0.001 opaque buy", "0 1672304486866000000 16578.4 2 2290000000061666327 sell"]
  ),
  (
    .okx,
    #"{"arg":{"channel":"trades","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT","tradeId":"314161276","px":"43474.1","sz":"0.00373695","side":"buy","ts":"1646311839593","count":"3"}]}"#,
    ["0 1646311839593000000 43474.1 0.00373695 314161276 buy"]
  ),
  (
    .kraken,
    #"{"channel":"trade","type":"snapshot","data":[{"symbol":"BTC/USD","side":"buy","price":105944.20,"qty":0.00027625,"ord_type":"limit","trade_id":10218208,"timestamp":"2025-06-01T10:20:55.440295Z"},{"symbol":"ETH\/USD","side":"sell","price":1e3,"qty":1.5,"ord_type":"market","trade_id":9,"timestamp":"2025-06-01T10:20:55.440296Z"}]}"#,
    ["0 1748773255440295000 105944.2 0.00027625 10218208 buy", "1 1748773255440296000 1000 1.5 9 sell"]
  ),
  (
    .coinbase,
    #"{"type":"match","trade_id":881613,"maker_order_id":"a","taker_order_id":"b","side":"sell","size":"0.04","price":"14.7775","product_id":"SKL-GBP","sequence":5,"time":"2021-04-17T16:43:30.244075Z"}"#,
    ["1 1618677810244075000 14.7775 0.04 881613 buy"]
  ),
  (
    .coinbase,
    #"{"type":"last_match","trade_id":1,"side":"buy","size":"0.04","price":"14.7775","product_id":"BTC-USD","time":"2021-04-17T16:43:30.244075Z"}"#,
    ["0 1618677810244075000 14.7775 0.04 1 sell"]
  ),
  (
    .bitstamp,
    #"{"data":{"id":216000477,"timestamp":"1641343699","amount":0.0792,"amount_str":"0.07920000","price":3805.44,"price_str":"3805.44","type":0,"microtimestamp":"1641343699596000","buy_order_id":1,"sell_order_id":2},"channel":"live_trades_ethusd","event":"trade"}"#,
    ["1 1641343699596000000 3805.44 0.0792 216000477 buy"]
  ),
  (
    .hitbtc,
    #"{"ch":"trades","update":{"BTCUSDT":[{"t":1626861109494,"i":1555634969,"p":"30881.96","q":"12.66828","s":"buy"}],"DNTBTC":[{"t":1626861109495,"i":1,"p":"0.0000030","q":"1","s":"sell"}]}}"#,
    ["0 1626861109494000000 30881.96 12.66828 1555634969 buy", "1 1626861109495000000 0.000003 1 1 sell"]
  ),
  (
    .hitbtc,
    #"{"jsonrpc":"2.0","method":"snapshotTrades","params":{"data":[{"id":1390063170,"price":"0.0000029785","quantity":"40","side":"sell","timestamp":"2021-07-13T11:07:53.658Z"}],"symbol":"DNTBTC"}}"#,
    ["1 1626174473658000000 0.0000029785 40 1390063170 sell"]
  ),
]
