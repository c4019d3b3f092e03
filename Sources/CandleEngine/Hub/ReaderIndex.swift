import CandleCore
import CandleWire

/// Who reads what: from a series to its readers without looking at the others.
struct ReaderIndex {
  private struct SymbolReaders {
    /// By position of the timeframe.
    var exact: [[Reader]]
    var anyTimeframe: [Reader] = []

    var isEmpty: Bool { anyTimeframe.isEmpty && exact.allSatisfy(\.isEmpty) }
  }

  private let timeframes: [Timeframe]
  private var bySymbol: [String: SymbolReaders] = [:]
  private var anySymbol: [[Reader]]
  private var all: [Reader] = []
  private(set) var count = 0
  /// What was found for a series, by its number; forgotten when a topic comes or goes.
  private var known: ContiguousArray<KnownReaders> = []

  private enum KnownReaders {
    case unknown
    case few(ContiguousArray<Reader>)
    case many
  }

  /// Readers of a series that are kept by its number.
  private static let maximumKnown = 16

  init(timeframes: [Timeframe]) {
    self.timeframes = timeframes
    anySymbol = Array(repeating: [], count: timeframes.count)
  }

  mutating func insert(_ reader: Reader, _ topic: Topic) {
    count += 1
    known.removeAll(keepingCapacity: true)
    update(topic) { $0.append(reader) }
  }

  mutating func remove(_ reader: Reader, _ topic: Topic) {
    count -= 1
    known.removeAll(keepingCapacity: true)
    update(topic) { list in
      if let index = list.firstIndex(where: { $0 === reader }) {
        list.swapAt(index, list.count - 1)
        list.removeLast()
      }
    }
    if let symbol = topic.symbol, bySymbol[symbol]?.isEmpty == true { bySymbol[symbol] = nil }
  }

  private mutating func update(_ topic: Topic, _ body: (inout [Reader]) -> Void) {
    let position = topic.timeframe.flatMap { timeframes.firstIndex(of: $0) }
    let empty = SymbolReaders(exact: Array(repeating: [], count: timeframes.count))
    switch (topic.symbol, position) {
    case (let symbol?, let position?):
      body(&bySymbol[symbol, default: empty].exact[position])
    case (let symbol?, nil):
      body(&bySymbol[symbol, default: empty].anyTimeframe)
    case (nil, let position?):
      body(&anySymbol[position])
    case (nil, nil):
      body(&all)
    }
  }

  /// Bit per timeframe of a symbol that somebody reads.
  func interest(in symbol: String) -> UInt32 {
    if count == 0 { return 0 }
    if !all.isEmpty { return ~0 }
    var mask: UInt32 = 0
    for position in anySymbol.indices where !anySymbol[position].isEmpty { mask |= 1 << UInt32(position) }
    if let readers = bySymbol[symbol] {
      if !readers.anyTimeframe.isEmpty { return ~0 }
      for position in readers.exact.indices where !readers.exact[position].isEmpty { mask |= 1 << UInt32(position) }
    }
    return mask
  }

  /// Everyone who reads a series, found without its name where nothing changed since it was last asked about.
  /// - Parameter series: its number.
  /// - Returns: nil where they are many.
  mutating func few(_ series: Int, _ position: Int, symbol: () -> String) -> ContiguousArray<Reader>? {
    if series < known.count {
      switch known[series] {
      case .few(let readers): return readers
      case .many: return nil
      case .unknown: break
      }
    }
    var readers: ContiguousArray<Reader>? = []
    forEach(symbol(), position) { reader in
      if let count = readers?.count, count < Self.maximumKnown { readers?.append(reader) } else { readers = nil }
    }
    while known.count <= series { known.append(.unknown) }
    known[series] = readers.map { .few($0) } ?? .many
    return readers
  }

  /// Everyone who reads a series; somebody with several matching topics comes several times.
  func forEach(_ symbol: String, _ position: Int, _ body: (Reader) -> Void) {
    if let readers = bySymbol[symbol] {
      for reader in readers.exact[position] { body(reader) }
      for reader in readers.anyTimeframe { body(reader) }
    }
    for reader in anySymbol[position] { body(reader) }
    for reader in all { body(reader) }
  }
}
