import CandleCore

/// The text format: `timestamp,price[,volume[,trade_id]]`, one tick a line, or with the symbol in front.
///
/// Lines end with `\n` or `\r\n`, the last one needs no end; blank lines are skipped; spaces around fields are allowed.
/// A bad line never hurts the good ones of its frame.
public struct TextFormat: Sendable {
  public enum SymbolColumn: Sendable {
    /// Every line is of this symbol.
    case none(Int32)
    /// The first field is the symbol.
    case first
  }

  public var timestamp: TimestampUnit
  /// Whether prices of zero and below are accepted.
  public var allowsNonpositivePrice: Bool
  public var symbolColumn: SymbolColumn

  public init(timestamp: TimestampUnit = .auto, allowsNonpositivePrice: Bool = false, symbolColumn: SymbolColumn) {
    self.timestamp = timestamp
    self.allowsNonpositivePrice = allowsNonpositivePrice
    self.symbolColumn = symbolColumn
  }

  /// Reads a frame.
  /// - Parameters:
  ///   - frame: one or more lines.
  ///   - batch: gets the ticks and the refused lines, behind what it has.
  ///   - firstLine: number of the first line.
  ///   - intern: gives the number of a symbol, or says why it is refused; not called without a symbol column.
  /// - Returns: the number of the line behind the last one.
  @discardableResult
  public func parse(
    _ frame: UnsafeRawBufferPointer, into batch: inout TickBatch, firstLine: Int = 1,
    intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) -> Int {
    var symbols = SymbolInterner()
    return parse(frame, into: &batch, firstLine: firstLine, symbols: &symbols, intern: intern)
  }

  /// Reads a frame.
  /// - Parameters:
  ///   - symbols: those that are known; gets the new ones.
  ///   - intern: gives the number of a symbol that is not known yet, or says why it is refused; must not use `symbols`.
  @discardableResult
  public func parse(
    _ frame: UnsafeRawBufferPointer, into batch: inout TickBatch, firstLine: Int = 1,
    symbols: inout SymbolInterner, intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) -> Int {
    guard let base = frame.baseAddress else { return firstLine }
    let readsShort = timestamp == .auto || timestamp == .milliseconds
    var at = 0
    var line = firstLine
    let count = frame.count
    return withUnsafeTemporaryAllocation(byteCount: TickBlock.byteCount + Self.reach + 1, alignment: 16) { memory in
      var block = TickBlock(memory.baseAddress.unsafelyUnwrapped)
      let tail = memory.baseAddress.unsafelyUnwrapped + TickBlock.byteCount
      while at < count {
        if readsShort {
          var text = base + at
          if count &- at < Self.reach {
            // What may not be read behind the frame is made up.
            text = UnsafeRawPointer(tail)
            copyTail(base + at, count &- at, to: tail)
          }
          if let (tick, length) = shortTick(text, symbols) {
            block.append(tick, line: line, range: at..<at &+ length, to: &batch)
            at &+= length &+ 1
            line &+= 1
            continue
          }
        }
        block.flush(to: &batch)
        at = parseAny(frame, at, line: line, into: &batch, symbols: &symbols, intern: intern) &+ 1
        line &+= 1
      }
      block.flush(to: &batch)
      return line
    }
  }

  /// Bytes from the beginning of a line that the shortest path looks at.
  private static let reach = SymbolInterner.reach + ShortLine.reach

  @inline(__always)
  private func copyTail(_ text: UnsafeRawPointer, _ count: Int, to tail: UnsafeMutableRawPointer) {
    tail.copyMemory(from: text, byteCount: count)
    // The end of the frame ends its last line; zeros are part of nothing.
    tail.storeBytes(of: 10, toByteOffset: count, as: UInt8.self)
    (tail + count + 1).initializeMemory(as: UInt8.self, repeating: 0, count: Self.reach &- count)
  }

  /// - Returns: nil if the line is not a short one of a known symbol.
  @inline(__always)
  private func shortTick(_ text: UnsafeRawPointer, _ symbols: borrowing SymbolInterner) -> (tick: Tick, length: Int)? {
    var symbol: Int32 = 0
    var start = 0
    switch symbolColumn {
    case .none(let only): symbol = only
    case .first:
      guard let (number, length) = symbols.numberBeforeComma(text) else { return nil }
      symbol = number
      start = length &+ 1
    }
    guard let short = ShortLine(text + start), short.price.coefficient > 0 || allowsNonpositivePrice else {
      return nil
    }
    return (short.tick(symbol: symbol), start &+ short.length)
  }

  /// A line of any form.
  /// - Returns: where it ends.
  @inline(never)
  private func parseAny(
    _ frame: UnsafeRawBufferPointer, _ at: Int, line: Int, into batch: inout TickBatch,
    symbols: inout SymbolInterner, intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) -> Int {
    var name: Range<Int>?
    var start = at
    if case .first = symbolColumn {
      name = Self.leadingSymbol(frame, at)
      if let name { start = name.upperBound &+ 1 }
    }
    var isPlain = name != nil
    if case .none = symbolColumn { isPlain = true }
    if isPlain {
      var scanner = PlainLine(frame: frame, at: start, unit: timestamp)
      if scanner.scan(), scanner.coefficient > 0 || allowsNonpositivePrice {
        switch number(frame, name, &symbols, intern) {
        case .success(let symbol): batch.append(scanner.tick(symbol: symbol), line: line, range: at..<scanner.at)
        case .failure(let reason):
          batch.refused.append(RefusedLine(line: line, reason: reason, range: at..<scanner.at))
        }
        return scanner.at
      }
    }
    var end = at
    while end < frame.count, frame[end] != UInt8(ascii: "\n") { end &+= 1 }
    parseLine(frame, at..<end, line: line, into: &batch, symbols: &symbols, intern: intern)
    return end
  }

  /// - Parameter name: where the symbol stands; nil without a symbol column.
  private func number(
    _ frame: UnsafeRawBufferPointer, _ name: Range<Int>?, _ symbols: inout SymbolInterner,
    _ intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) -> Result<Int32, RefusalReason> {
    if case .none(let only) = symbolColumn { return .success(only) }
    let bytes = UnsafeRawBufferPointer(rebasing: frame[name ?? 0..<0])
    if let known = symbols.number(of: bytes) { return .success(known) }
    let found = intern(bytes)
    if case .success(let number) = found { symbols.insert(bytes, number: number) }
    return found
  }

  /// Where the valid symbol stands that a line begins with, up to its comma; nil where there is none.
  @inline(__always)
  private static func leadingSymbol(_ frame: UnsafeRawBufferPointer, _ start: Int) -> Range<Int>? {
    let limit = min(frame.count, start &+ SymbolName.maximumLength &+ 1)
    var at = start
    while at < limit, SymbolName.isPart(frame[at]) { at &+= 1 }
    guard at > start, at < limit, frame[at] == UInt8(ascii: ","), SymbolName.isFirst(frame[start]) else { return nil }
    return start..<at
  }

  /// Any line, field by field, with the reason where it is refused.
  private func parseLine(
    _ frame: UnsafeRawBufferPointer, _ range: Range<Int>, line: Int, into batch: inout TickBatch,
    symbols: inout SymbolInterner, intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) {
    let text = Self.trim(frame, range)
    if text.isEmpty { return }
    switch tick(frame, text, symbols: &symbols, intern: intern) {
    case .success(let tick): batch.append(tick, line: line, range: text)
    case .failure(let reason): batch.refused.append(RefusedLine(line: line, reason: reason, range: text))
    }
  }

  private func tick(
    _ frame: UnsafeRawBufferPointer, _ text: Range<Int>, symbols: inout SymbolInterner,
    intern: (UnsafeRawBufferPointer) -> Result<Int32, RefusalReason>
  ) -> Result<Tick, RefusalReason> {
    // One more than the most, to see that there are too many.
    var fields = InlineArray<6, Range<Int>>(repeating: 0..<0)
    var count = 0
    var start = text.lowerBound
    for at in text.lowerBound...text.upperBound where at == text.upperBound || frame[at] == UInt8(ascii: ",") {
      if count == 6 { return .failure(.malformed) }
      fields[count] = Self.trim(frame, start..<at)
      count += 1
      start = at + 1
    }
    func field(_ index: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: frame[fields[index]]) }

    var first = 0
    if case .first = symbolColumn { first = 1 }
    guard count >= first + 2, count <= first + 4 else { return .failure(.malformed) }
    if first == 1, !SymbolName.isValid(field(0)) { return .failure(.malformed) }
    guard let time = Timestamp.scan(field(first), unit: timestamp) else { return .failure(.badTimestamp) }
    var imprecise = false
    var price = Fixed.zero
    switch DecimalScanner.scan(field(first + 1)) {
    case .value(let value):
      if value.coefficient <= 0, !allowsNonpositivePrice { return .failure(.badPrice) }
      price = value
    case .malformed: return .failure(.badPrice)
    case .precision:
      if !allowsNonpositivePrice, field(first + 1)[0] == UInt8(ascii: "-") { return .failure(.badPrice) }
      imprecise = true
    }
    var volume = Fixed.zero
    if count > first + 2, !fields[first + 2].isEmpty {
      switch DecimalScanner.scan(field(first + 2)) {
      case .value(let value):
        if value.isNegative { return .failure(.badVolume) }
        volume = value
      case .malformed: return .failure(.badVolume)
      case .precision:
        if field(first + 2)[0] == UInt8(ascii: "-") { return .failure(.badVolume) }
        imprecise = true
      }
    }
    if imprecise { return .failure(.precision) }
    let id = count > first + 3 ? TradeID.scan(field(first + 3)) : .none
    switch number(frame, first == 1 ? fields[0] : nil, &symbols, intern) {
    case .success(let symbol):
      return .success(Tick(symbol: symbol, time: time, price: price, volume: volume, id: id))
    case .failure(let reason): return .failure(reason)
    }
  }

  private static func trim(_ frame: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
    var lower = range.lowerBound
    var upper = range.upperBound
    while lower < upper, isSpace(frame[lower]) { lower += 1 }
    while upper > lower, isSpace(frame[upper - 1]) { upper -= 1 }
    return lower..<upper
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }
}
