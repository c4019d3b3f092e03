import CandleCore
import CandleWire

/// Reads the messages of a venue that the configuration describes (`format: json`).
public struct JSONTradeDecoder: Sendable {
  public enum Symbols: Sendable {
    /// Messages name none.
    case only(Int32)
    /// What is not among them is refused.
    case listed(SymbolInterner)
    /// Every symbol is taken; whoever decodes gives the numbers.
    case every
  }

  private let trades: JSONPath?
  private let symbol: JSONPath?
  private let time: JSONPath
  private let price: JSONPath
  private let volume: JSONPath?
  private let id: JSONPath?
  private let side: JSONPath?
  private let buy: [UInt8]
  private let symbols: Symbols
  private let timestamp: TimestampUnit
  private let allowsNonpositivePrice: Bool

  public init(
    _ paths: JSONTradePaths, symbols: Symbols, timestamp: TimestampUnit = .auto, allowsNonpositivePrice: Bool = false
  ) {
    trades = paths.trades.map(JSONPath.init)
    symbol = paths.symbol.map(JSONPath.init)
    time = JSONPath(paths.time)
    price = JSONPath(paths.price)
    volume = paths.volume.map(JSONPath.init)
    id = paths.id.map(JSONPath.init)
    side = paths.side.map(JSONPath.init)
    buy = Array(paths.buy.utf8)
    self.symbols = symbols
    self.timestamp = timestamp
    self.allowsNonpositivePrice = allowsNonpositivePrice
  }

  /// Reads one message. It is checked whole first; a bad trade never hurts the others.
  /// - Parameters:
  ///   - batch: gets the ticks and what was refused; the position of a trade counts as its line.
  ///   - intern: gives the number of a symbol of valid form; called only where every symbol is taken.
  /// - Returns: `trades`, `ignored` or `malformed`.
  public func decode(
    _ frame: UnsafeRawBufferPointer, into batch: inout TickBatch,
    intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) -> VenueEvent {
    var scanner = JSONScanner(frame)
    guard let root = scanner.value(), scanner.isAtEnd else {
      batch.refused.append(RefusedLine(line: 1, reason: .malformed, range: 0..<frame.count))
      return .malformed
    }
    guard let holder = trades.map({ $0.find(in: root) }) ?? root else { return .ignored }
    switch holder.kind {
    case .object: break
    case .array where trades != nil || Self.holdsTrades(holder):
      var inside = holder.inside
      guard inside.beginArray() else { return .ignored }
      var line = 1
      while inside.element(), let trade = inside.value() {
        if line == 1, isNoTrade(trade) { return .ignored }
        take(trade, root: root, line: line, in: frame, into: &batch, intern: intern)
        line += 1
      }
      return line > 1 ? .trades : .ignored
    // A trade whose fields are told by their places.
    case .array: break
    default: return .ignored
    }
    if isNoTrade(holder) { return .ignored }
    take(holder, root: root, line: 1, in: frame, into: &batch, intern: intern)
    return .trades
  }

  /// An answer, a heartbeat, a message of another kind.
  private func isNoTrade(_ item: JSONItem) -> Bool { time.find(in: item) == nil && price.find(in: item) == nil }

  /// Whether an array begins with something that has parts.
  private static func holdsTrades(_ array: JSONItem) -> Bool {
    var scanner = array.inside
    guard scanner.beginArray(), scanner.element(), let first = scanner.value() else { return false }
    return first.kind == .object || first.kind == .array
  }

  private func take(
    _ trade: JSONItem, root: JSONItem, line: Int, in frame: UnsafeRawBufferPointer, into batch: inout TickBatch,
    intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) {
    func find(_ path: JSONPath?) -> JSONItem? { path.flatMap { $0.find(in: trade) ?? $0.find(in: root) } }
    var fields = TradeFields()
    fields.time = find(time)
    fields.price = find(price)
    fields.volume = find(volume)
    fields.id = find(id)
    if let side = find(side), side.kind != .null { fields.side = side.text.equals(buy) ? .buy : .sell }
    var number = Result<Int32, RefusalReason>.failure(.malformed)
    if case .only(let only) = symbols {
      number = .success(only)
    } else if let name = find(symbol), name.isScalar {
      number = name.text.withBytes { bytes in
        switch symbols {
        case .only(let only): .success(only)
        case .listed(let listed): listed.number(of: bytes).map { .success($0) } ?? .failure(.unknownSymbol)
        case .every: SymbolName.isValid(bytes) ? .success(-1) : .failure(.malformed)
        }
      }
    }
    var tick = fields.tick(symbol: number, unit: timestamp, allowsNonpositivePrice: allowsNonpositivePrice)
    // A name gets a number only with a good trade: numbers are limited.
    if case .every = symbols, case .success(var good) = tick, let name = find(symbol) {
      switch name.text.withBytes(intern) {
      case .success(let number):
        good.symbol = number
        tick = .success(good)
      case .failure(let reason): tick = .failure(reason)
      }
    }
    let range = frame.range(of: trade.bytes)
    switch tick {
    case .success(let tick): batch.append(tick, line: line, range: range)
    case .failure(let reason): batch.refused.append(RefusedLine(line: line, reason: reason, range: range))
    }
  }
}
