import CandleCore

/// What a history source is still to be asked for, of one symbol in one timeframe.
///
/// A candle is asked for once its end and grace have passed, oldest first. One that the source does not have is asked
/// for `attempts` times in all; then it stays as it is. A request that failed as a whole counts as none.
public struct SeamQueue: Sendable {
  /// How often a candle is asked for that the source does not have.
  public static let attempts = 3
  /// Most gaps that are watched at once. Older ones are forgotten, though their candles are still asked for: they stay
  /// unfilled in the database, and a restart finds them there.
  public static let maximumGaps = 4_096
  /// Milliseconds until it is asked for again, by the number of times before.
  static let pauses: [Milliseconds] = [5_000, 30_000]

  private struct Wish {
    var range: Range<Milliseconds>
    var attempts = 0
    /// Server time.
    var notBefore: Milliseconds = .min

    var isFresh: Bool { attempts == 0 && notBefore == .min }
  }

  private struct Hole {
    var gap: Gap
    var left: RangeList
  }

  public let timeframe: Timeframe
  private let grace: Milliseconds
  /// Sorted, apart from each other; aligned to the timeframe.
  private var wishes: [Wish] = []
  /// Gaps and what is unknown of them.
  private var holes: [Hole] = []
  /// End of the newest gap that was forgotten.
  private var forgottenThrough = Milliseconds.min
  /// What the source was asked for in vain.
  private var exhausted = RangeList()
  /// What is on its way.
  private var asked: Wish?

  public init(timeframe: Timeframe, grace: Milliseconds) {
    self.timeframe = timeframe
    self.grace = grace
  }

  public var isEmpty: Bool { wishes.isEmpty && asked == nil }

  /// Candles that are still asked for.
  public var candles: Int64 {
    let length = wishes.reduce(0) { $0 + ($1.range.upperBound - $1.range.lowerBound) }
    return (length + (asked.map { $0.range.upperBound - $0.range.lowerBound } ?? 0)) / timeframe.interval
  }

  /// Gaps that are not known whole yet.
  public var gaps: Int { holes.count }

  /// Whether something of a gap is still unknown.
  public func holds(_ gap: Gap) -> Bool {
    gap.from < forgottenThrough || holes.contains { $0.gap.from == gap.from }
      || exhausted.overlaps(aligned(gap.unknown))
  }

  /// What has become known of gaps that are not known whole.
  public var learned: RangeList {
    var learned = RangeList()
    for hole in holes {
      var known = RangeList([aligned(hole.gap.unknown)])
      for range in hole.left.ranges { known.remove(range) }
      for range in known.ranges { learned.insert(range) }
    }
    return learned
  }

  public mutating func add(_ gap: Gap) {
    guard gap.to != nil else { return }
    let range = aligned(gap.unknown)
    holes.removeAll { $0.gap.from == gap.from }
    holes.append(Hole(gap: gap, left: RangeList([range])))
    if holes.count > Self.maximumGaps {
      forgottenThrough = max(forgottenThrough, holes.removeFirst().gap.unknown.upperBound)
    }
    want(range)
  }

  public mutating func add(openTime: Milliseconds) { want(aligned(openTime..<openTime + 1)) }

  private func aligned(_ range: Range<Milliseconds>) -> Range<Milliseconds> {
    timeframe.openTime(of: range.lowerBound)..<timeframe.nextBoundary(after: range.upperBound - 1)
  }

  private mutating func want(_ range: Range<Milliseconds>) {
    var new = RangeList([range])
    for old in exhausted.ranges { new.remove(old) }
    for wish in wishes { new.remove(wish.range) }
    if let asked { new.remove(asked.range) }
    for range in new.ranges { wishes.append(Wish(range: range)) }
    wishes.sort { $0.range.lowerBound < $1.range.lowerBound }
    join()
  }

  /// Neighbours that were never asked for are one, so that a source that is away for long costs no memory.
  private mutating func join() {
    guard var last = wishes.first else { return }
    var joined: [Wish] = []
    for wish in wishes.dropFirst() {
      if last.isFresh, wish.isFresh, last.range.upperBound == wish.range.lowerBound {
        last.range = last.range.lowerBound..<wish.range.upperBound
      } else {
        joined.append(last)
        last = wish
      }
    }
    wishes = joined + [last]
  }

  /// Server time from which something can be asked for; nil if nothing waits, or while an answer is awaited.
  public var due: Milliseconds? {
    guard asked == nil else { return nil }
    return wishes.lazy.map(due).min()
  }

  private func due(_ wish: Wish) -> Milliseconds {
    max(wish.range.lowerBound + timeframe.interval + grace, wish.notBefore)
  }

  /// What to ask for now: at most `limit` candles, oldest first.
  public mutating func next(now: Milliseconds, limit: Int) -> Range<Milliseconds>? {
    guard asked == nil, let index = wishes.firstIndex(where: { due($0) <= now }) else { return nil }
    var wish = wishes[index]
    // What ends later is asked for later.
    let settled = timeframe.openTime(of: now - grace)
    let end = min(wish.range.upperBound, wish.range.lowerBound + Int64(limit) * timeframe.interval, settled)
    if end < wish.range.upperBound {
      wishes[index].range = end..<wish.range.upperBound
      wish.range = wish.range.lowerBound..<end
    } else {
      wishes.remove(at: index)
    }
    asked = wish
    return wish.range
  }

  /// The source could not be asked, or what it said could not be used.
  /// - Parameter pause: milliseconds until the next attempt.
  public mutating func failed(now: Milliseconds, pause: Milliseconds) {
    guard var wish = asked else { return }
    asked = nil
    wish.notBefore = now + pause
    wishes.append(wish)
    wishes.sort { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// The source has answered.
  /// - Parameter known: open times about which all is known now, oldest first.
  /// - Returns: the gaps of which all is known now.
  public mutating func answered(known: [Milliseconds], now: Milliseconds) -> [Gap] {
    guard let wish = asked else { return [] }
    asked = nil
    var missing = RangeList([wish.range])
    var learned = RangeList()
    for openTime in known {
      missing.remove(openTime..<openTime + timeframe.interval)
      learned.insert(openTime..<openTime + timeframe.interval)
    }
    let attempts = wish.attempts + 1
    for range in missing.ranges {
      if attempts < Self.attempts {
        wishes.append(Wish(range: range, attempts: attempts, notBefore: now + Self.pauses[attempts - 1]))
      } else {
        exhausted.insert(range)
      }
    }
    wishes.sort { $0.range.lowerBound < $1.range.lowerBound }
    for index in holes.indices { for range in learned.ranges { holes[index].left.remove(range) } }
    let filled = holes.filter(\.left.isEmpty).map(\.gap)
    // Of what was asked for in vain nothing will come any more.
    holes.removeAll { hole in hole.left.isEmpty || hole.left.ranges.allSatisfy { exhausted.contains($0) } }
    return filled
  }
}
