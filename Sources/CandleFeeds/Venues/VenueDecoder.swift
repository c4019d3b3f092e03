import CandleCore
import CandleWire

/// From the messages of a venue to ticks. A message is checked whole before a trade of it is taken; a bad trade never
/// hurts the others of its message.
public struct VenueDecoder: Sendable {
  public let venue: Venue
  /// From the spelling in messages to the number of the symbol.
  let symbols: SymbolInterner
  let allowsNonpositivePrice: Bool

  /// - Parameter symbols: in the spelling of the configuration, with their numbers.
  public init(_ venue: Venue, symbols: [(spelling: String, number: Int32)], allowsNonpositivePrice: Bool = false) {
    self.venue = venue
    self.allowsNonpositivePrice = allowsNonpositivePrice
    var interner = SymbolInterner()
    for symbol in symbols {
      var spelling = venue.spelling(symbol.spelling)
      spelling.withUTF8 { interner.insert(UnsafeRawBufferPointer($0), number: symbol.number) }
    }
    self.symbols = interner
  }

  /// Reads one message.
  /// - Parameter batch: gets the ticks and what was refused, behind what it has; the position of a trade in the message
  ///   counts as its line.
  public func decode(_ frame: UnsafeRawBufferPointer, into batch: inout TickBatch) -> VenueEvent {
    var scanner = JSONScanner(frame)
    let event: VenueEvent?
    switch venue {
    case .binance, .binanceUS, .binanceUSDM, .binanceCOINM: event = readBinance(&scanner, into: &batch)
    case .bybit: event = readBybit(&scanner, into: &batch)
    case .okx: event = readOKX(&scanner, into: &batch)
    case .kraken: event = readKraken(&scanner, into: &batch)
    case .coinbase: event = readCoinbase(&scanner, into: &batch)
    case .bitstamp: event = readBitstamp(&scanner, into: &batch)
    case .hitbtc: event = readHitBTC(&scanner, into: &batch)
    }
    if let event { return event }
    batch.refused.append(RefusedLine(line: 1, reason: .malformed, range: 0..<frame.count))
    return .malformed
  }

  // MARK: What the venues share

  /// A message that is no object: nothing, if it is JSON at all.
  func other(_ scanner: inout JSONScanner) -> VenueEvent? {
    scanner.value() != nil && scanner.isAtEnd ? .ignored : nil
  }

  @inline(__always)
  func number(of symbol: JSONItem?) -> Result<Int32, RefusalReason> {
    guard let symbol, symbol.kind == .string else { return .failure(.malformed) }
    return number(spelled: symbol.text)
  }

  @inline(__always)
  func number(spelled text: JSONText) -> Result<Int32, RefusalReason> {
    guard let number = text.withBytes({ symbols.number(of: $0) }) else { return .failure(.unknownSymbol) }
    return .success(number)
  }

  /// Takes every trade of an array. What is no array holds no trades.
  /// - Parameter symbol: of all of them; nil = each names its own.
  func takeTrades(
    _ array: JSONItem, _ keys: TradeKeys, symbol: Result<Int32, RefusalReason>? = nil, firstLine: Int = 1,
    in frame: UnsafeRawBufferPointer, into batch: inout TickBatch
  ) {
    var scanner = array.inside
    guard scanner.beginArray() else { return }
    var line = firstLine
    while scanner.element(), let trade = scanner.value() {
      let fields = TradeFields(of: trade, keys)
      take(
        fields, symbol: symbol ?? number(of: fields.symbol), unit: keys.unit, text: trade.bytes, line: line, in: frame,
        into: &batch)
      line += 1
    }
  }

  @inline(__always)
  func take(
    _ fields: TradeFields, symbol: Result<Int32, RefusalReason>, unit: TimestampUnit, text: UnsafeRawBufferPointer,
    line: Int, in frame: UnsafeRawBufferPointer, into batch: inout TickBatch
  ) {
    let range = frame.range(of: text)
    switch fields.tick(symbol: symbol, unit: unit, allowsNonpositivePrice: allowsNonpositivePrice) {
    case .success(let tick): batch.append(tick, line: line, range: range)
    case .failure(let reason): batch.refused.append(RefusedLine(line: line, reason: reason, range: range))
    }
  }

  /// The number of a request that is answered.
  func requestNumber(_ id: JSONItem?) -> Int? {
    guard let id, id.isScalar, let number = Int(id.text.string), number > 0 else { return nil }
    return number
  }

  /// What an error object or text says.
  func message(of item: JSONItem?) -> String {
    guard let item else { return "no reason given" }
    if item.kind == .string { return item.text.string }
    return String(decoding: item.bytes.prefix(200), as: UTF8.self)
  }
}

extension UnsafeRawBufferPointer {
  /// Where a part of this text stands in it.
  @inline(__always)
  func range(of part: UnsafeRawBufferPointer) -> Range<Int> {
    guard let start = part.baseAddress, let base = baseAddress else { return 0..<0 }
    return (start - base)..<(start - base + part.count)
  }
}
