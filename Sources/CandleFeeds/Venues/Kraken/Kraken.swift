import CandleCore
import CandleWire

/// Kraken v2. docs/venues/kraken.md.
enum Kraken {
  static let url = "wss://ws.kraken.com/v2"
  static let symbolsPerConnection = 500
  static let history = VenueHistory(url: "https://api.kraken.com/0/public/OHLC", format: .kraken, spacing: 1_100)

  /// Prices and sizes are JSON numbers whose digits count.
  static let keys = TradeKeys(
    symbol: "symbol", time: "timestamp", price: "price", volume: "qty", id: "trade_id", side: "side")

  /// With the snapshot of the last trades, which fills what a short disconnect lost.
  static func subscriptions(_ symbols: [String], _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    VenueSubscription.batches(symbols, of: 100, plan) { number, symbols in
      let names = VenueSubscription.array(symbols.map { $0.uppercased() })
      let method = plan.cancels ? "unsubscribe" : "subscribe"
      let snapshot = plan.cancels ? "" : #","snapshot":true"#
      return
        #"{"method":"\#(method)","params":{"channel":"trade","symbol":\#(names)\#(snapshot)},"req_id":\#(number)}"#
    }
  }
}

extension VenueDecoder {
  func readKraken(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    guard scanner.beginObject() else { return other(&scanner) }
    var channel: JSONItem?
    var data: JSONItem?
    var method: JSONItem?
    var success: JSONItem?
    var result: JSONItem?
    var reason: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("channel") { channel = value }
      if key.equals("data") { data = value }
      if key.equals("method") { method = value }
      if key.equals("success") { success = value }
      if key.equals("result") { result = value }
      if key.equals("error") { reason = value }
    }
    guard scanner.isAtEnd else { return nil }
    if let channel, channel.isString("trade"), let data, data.kind == .array {
      takeTrades(data, Kraken.keys, in: scanner.text, into: &batch)
      return .trades
    }
    guard let method, method.isString("subscribe"), let success else { return .ignored }
    if !success.isTrue { return .rejected(message(of: reason)) }
    guard var inside = result?.inside, inside.beginObject() else { return .ignored }
    var symbol: JSONItem?
    while let key = inside.key(), let value = inside.value() {
      if key.equals("symbol") { symbol = value }
    }
    if case .success(let number) = number(of: symbol) { return .subscribed(.symbol(number)) }
    return .ignored
  }
}
