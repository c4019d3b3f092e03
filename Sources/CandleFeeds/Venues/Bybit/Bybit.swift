import CandleCore
import CandleWire

/// Bybit v5. docs/venues/bybit.md.
enum Bybit {
  /// The category is in the path: `spot`, `linear`, `inverse`.
  static let url = "wss://stream.bybit.com/v5/public/spot"
  static let symbolsPerConnection = 500
  static let duty = VenueDuty(every: 20_000, text: #"{"op":"ping"}"#)

  /// Inverse contracts have none: their turnover is in coins.
  static func history(url: String) -> VenueHistory? {
    let categories = ["spot", "linear"]
    guard let category = categories.first(where: { url.hasSuffix("/" + $0) }) else { return nil }
    return VenueHistory(
      url: "https://api.bybit.com/v5/market/kline?category=\(category)", format: .bybit, spacing: 200)
  }

  static let keys = TradeKeys(
    symbol: "s", time: "T", price: "p", volume: "v", id: "i", side: "S", buy: "Buy", sell: "Sell")

  /// Spot takes ten arguments a request.
  static func subscriptions(_ symbols: [String], _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    VenueSubscription.batches(symbols, of: 10, plan) { number, symbols in
      let topics = VenueSubscription.array(symbols.map { "publicTrade." + $0.uppercased() })
      return #"{"op":"\#(plan.cancels ? "unsubscribe" : "subscribe")","args":\#(topics),"req_id":"\#(number)"}"#
    }
  }
}

extension VenueDecoder {
  func readBybit(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    guard scanner.beginObject() else { return other(&scanner) }
    var topic: JSONItem?
    var data: JSONItem?
    var operation: JSONItem?
    var success: JSONItem?
    var request: JSONItem?
    var reason: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("topic") { topic = value }
      if key.equals("data") { data = value }
      if key.equals("op") { operation = value }
      if key.equals("success") { success = value }
      if key.equals("req_id") { request = value }
      if key.equals("ret_msg") { reason = value }
    }
    guard scanner.isAtEnd else { return nil }
    if let topic, topic.kind == .string, topic.text.begins(with: "publicTrade."), let data, data.kind == .array {
      takeTrades(data, Bybit.keys, in: scanner.text, into: &batch)
      return .trades
    }
    guard let operation, operation.isString("subscribe"), let success else { return .ignored }
    if !success.isTrue { return .rejected(message(of: reason)) }
    return requestNumber(request).map { .subscribed(.request($0)) } ?? .ignored
  }
}
