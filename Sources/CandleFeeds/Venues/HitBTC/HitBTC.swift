import CandleCore

/// HitBTC v3, and v2 where the address names it. docs/venues/hitbtc.md.
enum HitBTC {
  static let url = "wss://api.hitbtc.com/api/3/ws/public"
  static let symbolsPerConnection = 200
  static let history = VenueHistory(
    url: "https://api.hitbtc.com/api/3/public/candles/{symbol}", format: .hitbtc, omitsEmpty: true, spacing: 100)

  static let keys = TradeKeys(time: "t", price: "p", volume: "q", id: "i", side: "s")
  static let oldKeys = TradeKeys(time: "timestamp", price: "price", volume: "quantity", id: "id", side: "side")

  private static func isOld(_ url: String) -> Bool { url.contains("/2/ws") }

  /// The snapshot fills what a short disconnect lost.
  static func subscriptions(_ symbols: [String], url: String, _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    let word = plan.cancels ? "unsubscribe" : "subscribe"
    let limit = plan.cancels ? "" : #","limit":100"#
    if isOld(url) {
      return VenueSubscription.batches(symbols, of: 1, plan) { number, symbols in
        let name = VenueSubscription.quoted(symbols[symbols.startIndex].uppercased())
        return #"{"method":"\#(word)Trades","params":{"symbol":\#(name)\#(limit)},"id":\#(number)}"#
      }
    }
    return VenueSubscription.batches(symbols, of: 50, plan) { number, symbols in
      let names = VenueSubscription.array(symbols.map { $0.uppercased() })
      return
        #"{"method":"\#(word)","ch":"trades","params":{"symbols":\#(names)\#(limit)},"id":\#(number)}"#
    }
  }

  /// Any request is answered, so that a market without trades does not look like a dead socket.
  static func duty(url: String) -> VenueDuty {
    VenueDuty(
      every: 20_000,
      text: isOld(url)
        ? #"{"method":"getCurrency","params":{"currency":"BTC"},"id":0}"#
        : #"{"method":"subscriptions","params":{"ch":"trades"},"id":0}"#)
  }
}
