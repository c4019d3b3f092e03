import CandleCore

/// Watches the trade ids of a venue that numbers them without holes.
struct TradeIDSequence: Sendable {
  struct Hole: Sendable, Equatable {
    /// Missing ids.
    var ids: ClosedRange<UInt64>
    /// Event time of the trade before, in milliseconds.
    var from: Milliseconds
    /// Event time of the trade behind.
    var to: Milliseconds
    /// Server time until which it may still be filled.
    var deadline: Milliseconds
  }

  /// Most holes that are watched at once; more are one.
  static let maximumHoles = 1_000

  private var next: UInt64?
  private var newest: Milliseconds = 0
  private(set) var holes: [Hole] = []

  /// A trade was accepted.
  mutating func observe(_ id: UInt64, time: Milliseconds, now: Milliseconds, grace: Milliseconds) {
    guard let next else {
      self.next = id &+ 1
      newest = time
      return
    }
    if id < next { return fill(id) }
    if id > next {
      holes.append(Hole(ids: next...(id - 1), from: newest, to: time, deadline: now &+ grace))
      if holes.count > Self.maximumHoles {
        let first = holes.removeFirst()
        holes[0].from = min(first.from, holes[0].from)
        holes[0].ids = first.ids.lowerBound...holes[0].ids.upperBound
      }
    }
    self.next = id &+ 1
    newest = time
  }

  /// The venue says that a trade of this id happened; what was not seen up to it is a hole, until it comes.
  mutating func expect(through id: UInt64, time: Milliseconds, now: Milliseconds, grace: Milliseconds) {
    guard let next, id >= next, id < .max else { return }
    observe(id &+ 1, time: time, now: now, grace: grace)
    self.next = id &+ 1
  }

  private mutating func fill(_ id: UInt64) {
    guard let index = holes.firstIndex(where: { $0.ids.contains(id) }) else { return }
    let hole = holes.remove(at: index)
    if id < hole.ids.upperBound { holes.insert(with(hole, id + 1...hole.ids.upperBound), at: index) }
    if id > hole.ids.lowerBound { holes.insert(with(hole, hole.ids.lowerBound...id - 1), at: index) }
  }

  private func with(_ hole: Hole, _ ids: ClosedRange<UInt64>) -> Hole {
    var part = hole
    part.ids = ids
    return part
  }

  /// Takes the holes that nothing filled in time.
  mutating func overdue(now: Milliseconds) -> [Hole] {
    guard holes.contains(where: { $0.deadline <= now }) else { return [] }
    let overdue = holes.filter { $0.deadline <= now }
    holes.removeAll { $0.deadline <= now }
    return overdue
  }

  /// Server time at which the next hole is overdue.
  var due: Milliseconds? { holes.lazy.map(\.deadline).min() }

  /// The venue is not listened to any more: the next id begins a new sequence.
  mutating func restart() {
    next = nil
  }
}
