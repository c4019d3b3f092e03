import CandleCore

/// A settled candle or a gap between its decision and its commit.
enum PendingItem {
  case settled(CandleUpdate, values: ContiguousArray<Double>?)
  case gap(Gap)
  case filled(CandleUpdate)

  var version: Int64 {
    switch self {
    case .settled(let update, _): update.candle.settlement?.version ?? 0
    case .gap(let gap): gap.version
    case .filled(let update): update.candle.settlement?.version ?? 0
    }
  }
}

/// First in, first out, in version order.
struct PendingQueue {
  private var items: ContiguousArray<PendingItem> = []
  private var head = 0

  var count: Int { items.count - head }
  var first: PendingItem? { head < items.count ? items[head] : nil }

  /// Candles that wait go without values.
  mutating func dropValues() {
    for index in head..<items.count {
      if case .settled(let update, _) = items[index] { items[index] = .settled(update, values: nil) }
    }
  }

  func forEach(_ body: (PendingItem) -> Void) { for index in head..<items.count { body(items[index]) } }

  mutating func append(_ item: PendingItem) { items.append(item) }

  mutating func removeFirst() {
    head += 1
    // Room is reused when all is taken, or most of it.
    if head == items.count {
      items.empty()
      head = 0
    } else if head > 1_024, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
  }
}

extension ContiguousArray {
  /// Empties a list that is filled again and again. Its room is kept, but not that of a burst: ten thousand symbols at the
  /// end of a minute would hold it for the rest of the day.
  mutating func empty() { removeAll(keepingCapacity: capacity <= 4_096) }
}
