import CandleCore
import CandleWire

/// OKX v5. docs/venues/okx.md.
enum OKX {
  static let url = "wss://ws.okx.com:8443/ws/v5/public"
  static let symbolsPerConnection = 1_000
  /// Without a message for 30 s the venue cuts; the answer is `pong`, which is no JSON either.
  static let duty = VenueDuty(every: 20_000, text: "ping")
  static let history = VenueHistory(
    url: "https://www.okx.com/api/v5/market/history-candles", format: .okx, spacing: 150)

  static let keys = TradeKeys(symbol: "instId", time: "ts", price: "px", volume: "sz", id: "tradeId", side: "side")

  /// The arguments of one request may have 64 KiB.
  static func subscriptions(_ symbols: [String], _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    VenueSubscription.batches(symbols, of: 100, plan) { _, symbols in
      let channels = symbols.map { #"{"channel":"trades","instId":\#(VenueSubscription.quoted($0.uppercased()))}"# }
      return #"{"op":"\#(plan.cancels ? "unsubscribe" : "subscribe")","args":[\#(channels.joined(separator: ","))]}"#
    }
  }
}

extension VenueDecoder {
  func readOKX(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    if JSONText(bytes: scanner.text, isEscaped: false).equals("pong") { return .ignored }
    guard scanner.beginObject() else { return other(&scanner) }
    var argument: JSONItem?
    var data: JSONItem?
    var event: JSONItem?
    var reason: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("arg") { argument = value }
      if key.equals("data") { data = value }
      if key.equals("event") { event = value }
      if key.equals("msg") { reason = value }
    }
    guard scanner.isAtEnd else { return nil }
    var channel: JSONItem?
    var instrument: JSONItem?
    if var inside = argument?.inside, inside.beginObject() {
      while let key = inside.key(), let value = inside.value() {
        if key.equals("channel") { channel = value }
        if key.equals("instId") { instrument = value }
      }
    }
    let isTrades = channel?.isString("trades") ?? false
    if let event {
      if event.isString("error") { return .rejected(message(of: reason)) }
      // The connection will be cut for an upgrade.
      if event.isString("notice") { return .reconnect(message(of: reason)) }
      if isTrades, event.isString("subscribe"), case .success(let symbol) = number(of: instrument) {
        return .subscribed(.symbol(symbol))
      }
      return .ignored
    }
    guard isTrades, let data, data.kind == .array else { return .ignored }
    takeTrades(data, OKX.keys, in: scanner.text, into: &batch)
    return .trades
  }
}
