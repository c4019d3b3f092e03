import CandleCore
import CandleWire

extension VenueDecoder {
  func readHitBTC(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    guard scanner.beginObject() else { return other(&scanner) }
    var channel: JSONItem?
    var trades: JSONItem?
    var method: JSONItem?
    var parameters: JSONItem?
    var result: JSONItem?
    var request: JSONItem?
    var error: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("ch") { channel = value }
      if key.equals("snapshot") || key.equals("update") { trades = value }
      if key.equals("method") { method = value }
      if key.equals("params") { parameters = value }
      if key.equals("result") { result = value }
      if key.equals("id") { request = value }
      if key.equals("error") { error = value }
    }
    guard scanner.isAtEnd else { return nil }
    if let channel, channel.isString("trades"), let trades, trades.kind == .object {
      takeBySymbol(trades, in: scanner.text, into: &batch)
      return .trades
    }
    if let method, method.isString("updateTrades") || method.isString("snapshotTrades"), let parameters {
      return takeOld(parameters, in: scanner.text, into: &batch)
    }
    // Request 0 only asks for a sign of life, whatever the answer.
    guard let number = requestNumber(request) else { return .ignored }
    if let error { return .rejected(message(of: error)) }
    return result == nil ? .ignored : .subscribed(.request(number))
  }

  /// `{"BTCUSDT":[{…}],"ETHUSDT":[{…}]}`.
  private func takeBySymbol(_ trades: JSONItem, in frame: UnsafeRawBufferPointer, into batch: inout TickBatch) {
    var scanner = trades.inside
    guard scanner.beginObject() else { return }
    while let key = scanner.key(), let value = scanner.value() {
      let line = batch.ticks.count + batch.refused.count + 1
      takeTrades(value, HitBTC.keys, symbol: number(spelled: key), firstLine: line, in: frame, into: &batch)
    }
  }

  /// `{"data":[{…}],"symbol":"BTCUSD"}` of the API v2.
  private func takeOld(_ parameters: JSONItem, in frame: UnsafeRawBufferPointer, into batch: inout TickBatch)
    -> VenueEvent
  {
    var scanner = parameters.inside
    guard scanner.beginObject() else { return .ignored }
    var data: JSONItem?
    var symbol: JSONItem?
    while let key = scanner.key(), let value = scanner.value() {
      if key.equals("data") { data = value }
      if key.equals("symbol") { symbol = value }
    }
    guard let data, data.kind == .array else { return .ignored }
    takeTrades(data, HitBTC.oldKeys, symbol: number(of: symbol), in: frame, into: &batch)
    return .trades
  }
}
