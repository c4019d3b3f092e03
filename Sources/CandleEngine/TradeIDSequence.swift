import CandleCore

/// Watches the trade ids of a venue that numbers them without holes.
///
/// It goes on over a stretch in which nobody listened: where the first id behind it does not follow the last one before
/// it, trades may have been lost before the loss of the connection was noticed.
struct TradeIDSequence: Sendable {
  struct Hole: Sendable, Equatable {
    /// Missing ids.
    var ids: ClosedRange<UInt64>
    /// Event time of the trade before, in milliseconds.
    var from: Milliseconds
    /// Event time of the trade behind, or when a gap began that lies between; not before `from`.
    var to: Milliseconds
    /// Server time until which it may still be filled.
    var deadline: Milliseconds
    /// It reaches into a gap that is known as such.
    var endsInGap = false

    /// Whether the gap that it reaches into holds all of it.
    var isInGap: Bool { endsInGap && from >= to }
  }

  /// Most holes that are watched at once; more are one.
  static let maximumHoles = 1_000

  private var next: UInt64?
  private var newest: Milliseconds = 0
  /// Begin of the last gap since the newest id.
  private var gap: Milliseconds?
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
      let end = gap ?? time
      holes.append(
        Hole(
          ids: next...(id - 1), from: min(newest, end), to: max(newest, end), deadline: now &+ grace,
          endsInGap: gap != nil))
      if holes.count > Self.maximumHoles {
        let first = holes.removeFirst()
        holes[0].from = min(first.from, holes[0].from)
        holes[0].to = max(first.to, holes[0].to)
        holes[0].ids = first.ids.lowerBound...holes[0].ids.upperBound
      }
    }
    self.next = id &+ 1
    newest = time
    gap = nil
  }

  /// The venue says that a trade of this id happened; what was not seen up to it is a hole, until it comes.
  mutating func expect(through id: UInt64, time: Milliseconds, now: Milliseconds, grace: Milliseconds) {
    guard let next, id < .max else { return }
    // Nothing was missed in a gap before that.
    if id == next &- 1 { gap = nil }
    guard id >= next else { return }
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

  /// The symbol is not listened to any more.
  mutating func interrupt(at time: Milliseconds) { gap = time }

  /// An earlier process has decided about these.
  /// - Parameter known: where holes end, by where they begin.
  mutating func forgetHoles(_ known: [Milliseconds: Milliseconds]) {
    holes.removeAll { $0.to <= known[$0.from] ?? .min }
  }
}
