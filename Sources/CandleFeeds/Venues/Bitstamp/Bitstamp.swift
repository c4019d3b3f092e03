import CandleCore
import CandleWire

/// Bitstamp. docs/venues/bitstamp.md.
enum Bitstamp {
  static let url = "wss://ws.bitstamp.net"
  static let symbolsPerConnection = 200
  /// It is answered, so that a market without trades does not look like a dead socket.
  static let duty = VenueDuty(every: 20_000, text: #"{"event":"bts:heartbeat"}"#)
  static let history = VenueHistory(
    url: "https://www.bitstamp.net/api/v2/ohlc/{symbol}/", format: .bitstamp, spacing: 200)

  static let channel: StaticString = "live_trades_"

  /// `price` and `amount` are numbers that went through a binary float; the texts are exact.
  static let keys = TradeKeys(
    time: "microtimestamp", price: "price_str", volume: "amount_str", id: "id", side: "type", buy: "0", sell: "1",
    unit: .microseconds)

  static func subscriptions(_ symbols: [String], _ plan: VenueSubscription.Plan) -> [VenueSubscription] {
    VenueSubscription.batches(symbols, of: 1, plan) { _, symbols in
      let name = VenueSubscription.quoted("live_trades_" + symbols[symbols.startIndex].lowercased())
      return #"{"event":"bts:\#(plan.cancels ? "unsubscribe" : "subscribe")","data":{"channel":\#(name)}}"#
    }
  }
}

extension VenueDecoder {
  func readBitstamp(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    guard scanner.beginObject() else { return other(&scanner) }
    var event: JSONItem?
    var channel: JSONItem?
    var data: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("event") { event = value }
      if key.equals("channel") { channel = value }
      if key.equals("data") { data = value }
    }
    guard scanner.isAtEnd else { return nil }
    guard let event else { return .ignored }
    if event.isString("bts:request_reconnect") { return .reconnect("the venue asks for it") }
    if event.isString("bts:error") { return .rejected(message(of: data)) }
    guard let channel, channel.kind == .string, channel.text.begins(with: Bitstamp.channel) else { return .ignored }
    let symbol = number(spelled: channel.text.dropping(Bitstamp.channel.utf8CodeUnitCount))
    if event.isString("bts:subscription_succeeded") {
      if case .success(let number) = symbol { return .subscribed(.symbol(number)) }
      return .ignored
    }
    guard event.isString("trade"), let data, data.kind == .object else { return .ignored }
    take(
      TradeFields(of: data, Bitstamp.keys), symbol: symbol, unit: Bitstamp.keys.unit, text: data.bytes, line: 1,
      in: scanner.text, into: &batch)
    return .trades
  }
}
