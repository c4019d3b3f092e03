import CandleCore

/// A settled candle or a gap between its decision and its commit.
enum PendingItem {
  case settled(CandleUpdate, values: ContiguousArray<Double>?)
  case gap(Gap)

  var version: Int64 {
    switch self {
    case .settled(let update, _): update.candle.settlement?.version ?? 0
    case .gap(let gap): gap.version
    }
  }
}

/// First in, first out, in version order.
struct PendingQueue {
  private var items: ContiguousArray<PendingItem> = []
  private var head = 0

  var count: Int { items.count - head }
  var first: PendingItem? { head < items.count ? items[head] : nil }

  mutating func append(_ item: PendingItem) { items.append(item) }

  mutating func removeFirst() {
    head += 1
    // Room is reused when all is taken, or most of it.
    if head == items.count {
      items.removeAll(keepingCapacity: items.capacity < 4_096)
      head = 0
    } else if head > 1_024, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
  }
}
