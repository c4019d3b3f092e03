import CandleCore
import CandleWire

/// The members of an event, or of the answer to a request. Events have keys of one letter.
private struct BinanceMessage {
  var trade = TradeFields()
  var kind: JSONItem?
  /// `t` of a trade, `a` of an aggregate.
  var tradeID: JSONItem?
  var aggregateID: JSONItem?
  /// Of a combined stream.
  var data: JSONItem?
  var request: JSONItem?
  var result: JSONItem?
  var error: JSONItem?

  @inline(__always)
  mutating func read(_ scanner: inout JSONScanner) {
    while let key = scanner.key(), let value = scanner.value() {
      switch key.letter {
      case UInt8(ascii: "e"): kind = value
      case UInt8(ascii: "s"): trade.symbol = value
      case UInt8(ascii: "p"): trade.price = value
      case UInt8(ascii: "q"): trade.volume = value
      case UInt8(ascii: "T"): trade.time = value
      case UInt8(ascii: "t"): tradeID = value
      case UInt8(ascii: "a"): aggregateID = value
      // The buyer was the maker.
      case UInt8(ascii: "m"): trade.side = value.kind == .bool ? (value.isTrue ? .sell : .buy) : .unknown
      case nil:
        if key.equals("data") {
          data = value
        } else if key.equals("id") {
          request = value
        } else if key.equals("result") {
          result = value
        } else if key.equals("error") || key.equals("msg") {
          error = value
        }
      default: break
      }
    }
  }
}

extension VenueDecoder {
  func readBinance(_ scanner: inout JSONScanner, into batch: inout TickBatch) -> VenueEvent? {
    guard scanner.beginObject() else { return other(&scanner) }
    let frame = scanner.text
    var message = BinanceMessage()
    message.read(&scanner)
    guard scanner.isAtEnd else { return nil }
    var text = frame
    if let data = message.data {
      var inside = data.inside
      guard inside.beginObject() else { return .ignored }
      message = BinanceMessage()
      message.read(&inside)
      text = data.bytes
    }
    guard let kind = message.kind else { return answer(message) }
    if kind.isString("trade") {
      message.trade.id = message.tradeID
    } else if kind.isString("aggTrade") {
      message.trade.id = message.aggregateID
    } else {
      return kind.isString("serverShutdown") ? .reconnect("the server is about to shut down") : .ignored
    }
    take(
      message.trade, symbol: number(of: message.trade.symbol), unit: .auto, text: text, line: 1, in: frame, into: &batch
    )
    return .trades
  }

  /// `{"result":null,"id":1}`, or an error.
  private func answer(_ message: BinanceMessage) -> VenueEvent {
    if let error = message.error { return .rejected(self.message(of: error)) }
    guard let result = message.result, result.kind == .null, let number = requestNumber(message.request) else {
      return .ignored
    }
    return .subscribed(.request(number))
  }
}
