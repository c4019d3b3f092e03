import CandleCore
import CandleWire

/// What a trade's fields are called in the messages of a venue. A name that no message has stands for none.
struct TradeKeys {
  var symbol: StaticString = "\u{0}"
  var time: StaticString
  var price: StaticString
  var volume: StaticString
  var id: StaticString = "\u{0}"
  var side: StaticString = "\u{0}"
  /// Values of `side` when the taker bought and when he sold.
  var buy: StaticString = "buy"
  var sell: StaticString = "sell"
  var unit: TimestampUnit = .milliseconds
}

/// The fields of one trade as they stand in a message.
struct TradeFields {
  var symbol: JSONItem?
  var time: JSONItem?
  var price: JSONItem?
  var volume: JSONItem?
  var id: JSONItem?
  var side = TakerSide.unknown

  init() {}

  /// - Parameter object: a JSON object that has been checked.
  @inline(__always)
  init(of object: JSONItem, _ keys: TradeKeys) {
    var scanner = object.inside
    self.init(&scanner, keys)
  }

  @inline(__always)
  init(_ scanner: inout JSONScanner, _ keys: TradeKeys) {
    guard scanner.beginObject() else { return }
    while let key = scanner.key(), let value = scanner.value() { take(key, value, keys) }
  }

  @inline(__always)
  mutating func take(_ key: JSONText, _ value: JSONItem, _ keys: TradeKeys) {
    if key.equals(keys.price) {
      price = value
    } else if key.equals(keys.volume) {
      volume = value
    } else if key.equals(keys.time) {
      time = value
    } else if key.equals(keys.symbol) {
      symbol = value
    } else if key.equals(keys.id) {
      id = value
    } else if key.equals(keys.side) {
      side = value.text.equals(keys.buy) ? .buy : value.text.equals(keys.sell) ? .sell : .unknown
    }
  }

  /// Whether there is anything of a trade.
  var isEmpty: Bool { time == nil && price == nil }

  /// Checks the fields in the order of the reasons.
  /// - Parameter symbol: the symbol's number, or why there is none.
  @inline(__always)
  func tick(
    symbol: Result<Int32, RefusalReason>, unit: TimestampUnit, allowsNonpositivePrice: Bool
  ) -> Result<Tick, RefusalReason> {
    guard let time, let price else { return .failure(.malformed) }
    if case .failure(.malformed) = symbol { return .failure(.malformed) }
    guard time.isScalar, let moment = time.text.withBytes({ Timestamp.scan(moment: $0, unit: unit) }) else {
      return .failure(.badTimestamp)
    }
    var tick = Tick(time: moment, price: .zero, takerSide: side)
    var isImprecise = false
    switch price.isScalar ? price.text.withBytes(DecimalScanner.scan) : .malformed {
    case .value(let value):
      if value.coefficient <= 0, !allowsNonpositivePrice { return .failure(.badPrice) }
      tick.price = value
    case .malformed: return .failure(.badPrice)
    case .precision:
      if !allowsNonpositivePrice, price.bytes.first == UInt8(ascii: "-") { return .failure(.badPrice) }
      isImprecise = true
    }
    if let volume, volume.kind != .null, !volume.bytes.isEmpty {
      switch volume.isScalar ? volume.text.withBytes(DecimalScanner.scan) : .malformed {
      case .value(let value):
        if value.isNegative { return .failure(.badVolume) }
        tick.volume = value
      case .malformed: return .failure(.badVolume)
      case .precision:
        if volume.bytes.first == UInt8(ascii: "-") { return .failure(.badVolume) }
        isImprecise = true
      }
    }
    if isImprecise { return .failure(.precision) }
    if let id, id.isScalar { tick.id = id.text.withBytes(TradeID.scan) }
    switch symbol {
    case .success(let number): tick.symbol = number
    case .failure(let reason): return .failure(reason)
    }
    return .success(tick)
  }
}
