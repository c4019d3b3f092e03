/// The stretches of server time in which a symbol was listened to.
///
/// Only what settlement still asks about is kept: the running stretch, and ended ones until the correction window has
/// left them behind.
public struct Listening: Sendable {
  struct Stretch: Sendable, Equatable {
    var from: Milliseconds
    var to: Milliseconds
  }

  /// Begin of the running stretch; nil while no source is there.
  public private(set) var since: Milliseconds?
  private(set) var ended: [Stretch] = []
  /// Stretches in which some trades are known to be missing, both ends included.
  private(set) var missed: [Stretch] = []
  /// Most missed stretches that are kept apart.
  private static let maximumMissed = 256

  public init() {}

  /// A source is there from `time` on.
  public mutating func begin(at time: Milliseconds) {
    guard since == nil else { return }
    // Inside of what a source has told: ended stretches lie before.
    if let told = ended.firstIndex(where: { $0.from <= time && time < $0.to }) {
      since = ended.remove(at: told).from
    } else {
      since = time
    }
  }

  /// The last source went at `time`; stretches that ended before `horizon` are forgotten.
  public mutating func end(at time: Milliseconds, horizon: Milliseconds) {
    guard let from = since else { return }
    since = nil
    ended.removeAll { $0.to < horizon }
    if time > from { ended.append(Stretch(from: from, to: time)) }
  }

  /// Trades between two moments did not come; what ended before `horizon` is forgotten.
  mutating func miss(from: Milliseconds, to: Milliseconds, horizon: Milliseconds) {
    missed.removeAll { $0.to < horizon }
    missed.append(Stretch(from: from, to: to))
    if missed.count > Self.maximumMissed {
      let first = missed.removeFirst()
      missed[0] = Stretch(from: min(first.from, missed[0].from), to: max(first.to, missed[0].to))
    }
  }

  /// A history source has said all of `[from, to)`: it is as if it had been listened to.
  mutating func learn(_ from: Milliseconds, _ to: Milliseconds) {
    var known = Stretch(from: from, to: to)
    ended.removeAll { stretch in
      // Stretches that only touch each other stay apart: something between them was not heard.
      guard stretch.from <= to, stretch.to >= from else { return false }
      known = Stretch(from: min(stretch.from, known.from), to: max(stretch.to, known.to))
      return true
    }
    if let since, since <= to { self.since = min(since, known.from) } else { ended.append(known) }
    missed = missed.flatMap { hole -> [Stretch] in
      guard hole.from < to, hole.to >= from else { return [hole] }
      return [Stretch(from: hole.from, to: from - 1), Stretch(from: to, to: hole.to)].filter { $0.from <= $0.to }
    }
  }

  /// Whether nothing is known to have been listened to.
  var wasNever: Bool { since == nil && ended.isEmpty }

  /// Whether no trades of `[from, to)` are known to be missing.
  func hasAll(_ from: Milliseconds, _ to: Milliseconds) -> Bool {
    missed.isEmpty || !missed.contains { $0.from < to && $0.to >= from }
  }

  /// Whether all of `[from, to)` was listened to.
  public func covers(_ from: Milliseconds, _ to: Milliseconds) -> Bool {
    guard hasAll(from, to) else { return false }
    if let since, since <= from { return true }
    return ended.contains { $0.from <= from && $0.to >= to }
  }

  /// Whether a stretch reaches the end of an interval from inside it.
  public func reaches(end: Milliseconds) -> Bool {
    if let since, since < end { return true }
    return ended.contains { $0.from < end && $0.to >= end }
  }

  /// Whether an interval that ends after `time` can still be reached.
  func mayReach(after time: Milliseconds) -> Bool {
    since != nil || ended.contains { $0.to > time }
  }
}
