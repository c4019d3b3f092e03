import CandleCore
import CandleFeeds

/// Messages of venues to ticks, as a feed with a preset reads them.
enum VenueBench {
  private static let messages: [(name: String, venue: Venue, symbol: String, text: String)] = [
    (
      "binance", .binance, "BTCUSDT",
      #"{"e":"trade","E":1700000040130,"s":"BTCUSDT","t":3374656743,"p":"36500.25000000","q":"0.01234000","T":1700000040123,"m":true,"M":true}"#
    ),
    (
      "binance_combined", .binance, "BTCUSDT",
      #"{"stream":"btcusdt@trade","data":{"e":"trade","E":1700000040130,"s":"BTCUSDT","t":3374656743,"p":"36500.25000000","q":"0.01234000","T":1700000040123,"m":true,"M":true}}"#
    ),
    (
      "bybit", .bybit, "BTCUSDT",
      #"{"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"0.001","p":"16578.50","L":"PlusTick","i":"20f43950-d8dd-5b31-9112-a178eb6023af","BT":false,"RPI":false,"seq":1783284617}]}"#
    ),
    (
      "okx", .okx, "BTC-USDT",
      #"{"arg":{"channel":"trades","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT","tradeId":"314161276","px":"43474.1","sz":"0.00373695","side":"buy","ts":"1646311839593","count":"1"}]}"#
    ),
    (
      "kraken", .kraken, "BTC/USD",
      #"{"channel":"trade","type":"update","data":[{"symbol":"BTC/USD","side":"buy","price":105944.20,"qty":0.00027625,"ord_type":"limit","trade_id":10218208,"timestamp":"2025-06-01T10:20:55.440295Z"}]}"#
    ),
  ]

  static func run(_ options: Options) {
    let count = options.number("messages", 1_000_000)
    var figures = Figures("venue")
    figures.add("messages", count)
    for message in messages {
      let decoder = VenueDecoder(message.venue, symbols: [(message.symbol, 0)])
      measure(message.name, Array(message.text.utf8), count, into: &figures) { bytes, batch in
        _ = decoder.decode(bytes, into: &batch)
      }
    }
    var paths = JSONTradePaths(time: ["T"], price: ["p"])
    paths.volume = ["q"]
    paths.id = ["t"]
    paths.side = ["m"]
    paths.buy = "false"
    let json = JSONTradeDecoder(paths, symbols: .only(0))
    measure("json", Array(messages[0].text.utf8), count, into: &figures) { bytes, batch in
      _ = json.decode(bytes, into: &batch) { _ in .failure(.unknownSymbol) }
    }
    figures.print()
  }

  private static func measure(
    _ name: String, _ text: [UInt8], _ count: Int, into figures: inout Figures,
    _ decode: (UnsafeRawBufferPointer, inout TickBatch) -> Void
  ) {
    var batch = TickBatch()
    var seen = 0
    text.withUnsafeBytes { decode($0, &batch) }
    let spent = Spent.on {
      for _ in 0..<count {
        batch.clear()
        text.withUnsafeBytes { decode($0, &batch) }
        seen += batch.ticks.count
      }
    }
    precondition(seen == count, "every message is a trade")
    figures.add(name, spent, count: count)
  }
}
