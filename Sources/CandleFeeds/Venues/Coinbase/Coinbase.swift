import CandleCore
import CandleWire

/// Coinbase Exchange. docs/venues/coinbase.md.
enum Coinbase {
  static let url = "wss://ws-feed.exchange.coinbase.com"
  static let symbolsPerConnection = 500
  static let history = VenueHistory(
    url: "https://api.exchange.coinbase.com/products/{symbol}/candles", format: .coinbase, omitsEmpty: true,
    spacing: 150)

  /// `side` is the maker's: where he sold, the taker bought.
  static let keys = TradeKeys(
    symbol: "product_id", time: "time", price: "price", volume: "size", id: "trade_id", side: "side", buy: "sell",
    sell: "buy")

  /// The venue wants it within five seconds, in one request.
  static func subscriptions(_ symbols: [String], _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    VenueSubscription.batches(symbols, of: symbolsPerConnection, plan) { _, symbols in
      let names = VenueSubscription.array(symbols.map { $0.uppercased() })
      return
        #"{"type":"\#(plan.cancels ? "unsubscribe" : "subscribe")","product_ids":\#(names),"channels":["matches","heartbeat"]}"#
    }
  }
}

extension VenueDecoder {
  func readCoinbase(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    guard scanner.beginObject() else { return other(&scanner) }
    var fields = TradeFields()
    var type: JSONItem?
    var last: JSONItem?
    var channels: JSONItem?
    var error: JSONItem?
    var reason: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("type") {
        type = value
      } else if key.equals("last_trade_id") {
        last = value
      } else if key.equals("channels") {
        channels = value
      } else if key.equals("message") {
        error = value
      } else if key.equals("reason") {
        reason = value
      } else {
        fields.take(key, value, Coinbase.keys)
      }
    }
    guard scanner.isAtEnd else { return nil }
    guard let type else { return .ignored }
    if type.isString("match") || type.isString("last_match") {
      take(
        fields, symbol: number(of: fields.symbol), unit: .auto, text: scanner.text, line: 1, in: scanner.text,
        into: &batch)
      return .trades
    }
    if type.isString("heartbeat") { return heartbeat(fields, last) ?? .ignored }
    if type.isString("subscriptions") { return holdsMatches(channels) ? .subscribed(.all) : .ignored }
    if type.isString("error") {
      return .rejected(message(of: error) + (reason.map { ": " + message(of: $0) } ?? ""))
    }
    return .ignored
  }

  /// Once a second and product: the newest trade there is.
  private func heartbeat(_ fields: TradeFields, _ last: JSONItem?) -> VenueEvent? {
    guard case .success(let symbol) = number(of: fields.symbol), let last, last.isScalar, let time = fields.time,
      let moment = time.text.withBytes({ Timestamp.scan(moment: $0, unit: .auto) })
    else { return nil }
    let id = last.text.withBytes(TradeID.scan)
    return id.kind == .number ? .newest(symbol: symbol, id: id.low, time: moment.milliseconds) : nil
  }

  /// Whether `matches` is among `[{"name":…,"product_ids":[…]}]`.
  private func holdsMatches(_ channels: JSONItem?) -> Bool {
    guard var list = channels?.inside, list.beginArray() else { return false }
    while list.element(), let channel = list.value() {
      var inside = channel.inside
      guard inside.beginObject() else { continue }
      while let key = inside.key(), let value = inside.value() {
        if key.equals("name"), value.isString("matches") { return true }
      }
    }
    return false
  }
}
