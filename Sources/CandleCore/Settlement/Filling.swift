/// One fill while it is worked out.
struct Filling {
  let rules: SettlementRules
  let root: Int
  let basis: FillBasis
  var views: [SeriesView]
  /// Begin of the open slot of the filled timeframe.
  let settledUntil: Milliseconds
  var listening: Listening
  var outcome: FillOutcome
  /// Open times of changed and new candles, by position of the timeframe, oldest first.
  private(set) var touched: [[Milliseconds]]
  /// Open times of the filled intervals.
  private var asked: [Milliseconds] = []
  /// What nothing is known about, still.
  private var unknown: RangeList

  init(
    rules: SettlementRules, root: Int, basis: FillBasis, views: [SeriesView], settledUntil: Milliseconds,
    listening: Listening, outcome: FillOutcome
  ) {
    self.rules = rules
    self.root = root
    self.basis = basis
    self.views = views
    self.settledUntil = settledUntil
    self.listening = listening
    self.outcome = outcome
    touched = Array(repeating: [], count: rules.timeframes.count)
    unknown = basis.unknown
  }

  private var interval: Milliseconds { rules.timeframes[root].interval }

  // MARK: The filled timeframe

  /// Walks from the first interval to where nothing can change any more: past the last one flat candles follow its
  /// close.
  mutating func fillRoot(_ intervals: [FilledInterval]) {
    asked = intervals.map(\.openTime)
    for openTime in asked { unknown.remove(openTime..<openTime &+ interval) }
    let end = min(settledUntil, max(basis.through, asked.last! &+ interval))
    var index = views[root].lowerBound(asked[0])
    var next = 0
    var slot = asked[0]
    while slot < end {
      let previous = index > 0 ? views[root][index - 1] : nil
      let run = previous.map { $0.isFlat ? flatRun(at: index - 1) : 0 } ?? 0
      var fill: FilledInterval?
      if next < intervals.count, intervals[next].openTime == slot {
        fill = intervals[next]
        next += 1
      }
      if index < views[root].candles.count, views[root][index].openTime == slot {
        let isOver = replace(index, fill, previous) == false && next == intervals.count && !views[root][index].isFlat
        if isOver { break }
        views[root][index].flatRun = views[root][index].isFlat ? run + 1 : 0
        index += 1
      } else if let candle = made(slot, fill, previous, run) {
        views[root].insert(candle, at: index)
        views[root][index].flatRun = candle.isFlat ? run + 1 : 0
        touched[root].append(slot)
        index += 1
      }
      slot &+= interval
      if next == intervals.count, index == views[root].candles.count, !mayFollowFlat(index) { break }
    }
    // What the source says nothing of stays unknown.
    for openTime in asked where !outcome.known.contains(sorted: openTime) {
      let range = openTime..<openTime &+ interval
      for gap in basis.unknown.ranges where gap.overlaps(range) { unknown.insert(gap.clamped(to: range)) }
    }
  }

  private func mayFollowFlat(_ index: Int) -> Bool {
    rules.emptyCandles == .flat && index > 0
      && (rules.flatLimit == 0 || flatRun(at: index - 1) < rules.flatLimit)
  }

  /// Flat candles in a row up to one of the view; where the view begins with flat ones, at least so many.
  private func flatRun(at index: Int) -> Int32 {
    if views[root][index].flatRun > 0 || !views[root][index].isFlat { return views[root][index].flatRun }
    var run: Int32 = 0
    var at = index
    while at >= 0, views[root][at].isFlat {
      run += 1
      at -= 1
    }
    return run
  }

  /// Decides about an interval that has a candle.
  /// - Returns: whether it changed.
  private mutating func replace(_ index: Int, _ fill: FilledInterval?, _ previous: SettledCandle?) -> Bool {
    var candle = views[root][index]
    let before = candle
    if candle.isFlat, !candle.hasHistory, let close = previous?.close { candle.flatPrice = close }
    if let fill {
      if candle.complete {
        outcome.known.append(fill.openTime)
        if !candle.hasHistory, differs(before, fill.content) { outcome.mismatched += 1 }
      } else if let content = fill.content {
        candle.take(history: content, after: previous, interval: interval)
        outcome.known.append(fill.openTime)
        outcome.filled += 1
      } else if candle.isFlat {
        candle.complete = true
        outcome.known.append(fill.openTime)
      } else {
        // The source has nothing where ticks came.
        outcome.mismatched += 1
      }
    }
    views[root][index] = candle
    guard candle.flatPrice != before.flatPrice && candle.isFlat || candle.complete != before.complete else {
      return false
    }
    touched[root].append(candle.openTime)
    return true
  }

  private func differs(_ candle: SettledCandle, _ content: CandleContent?) -> Bool {
    guard let content else { return !candle.isFlat }
    let own = candle.candle.content
    if candle.isFlat, content.volume == .zero, content.ticks ?? 0 == 0 { return false }
    return own.open != content.open || own.high != content.high || own.low != content.low
      || own.close != content.close || own.volume != content.volume
      || (content.ticks != nil && content.ticks != own.ticks)
  }

  /// The candle of an interval that has none; nil if it stays so.
  private mutating func made(
    _ slot: Milliseconds, _ fill: FilledInterval?, _ previous: SettledCandle?, _ run: Int32
  ) -> SettledCandle? {
    var candle = SettledCandle(
      openTime: slot, builder: .empty, flatPrice: previous?.close ?? .zero, flatRun: 0, complete: true,
      settlement: Settlement(revision: 0, settledBy: .history, version: 0, bornLate: true))
    let followsFlat =
      rules.emptyCandles == .flat && previous != nil && (rules.flatLimit == 0 || run < rules.flatLimit)
    guard let fill else {
      // A silence behind a candle that nothing was known about before.
      let end = slot &+ interval
      guard followsFlat, slot > asked[0], wasListening(at: end) else { return nil }
      candle.complete = wasSilent(slot..<end)
      candle.settlement.settledBy = .clock
      return candle
    }
    outcome.known.append(slot)
    if let content = fill.content { candle.take(history: content, after: previous, interval: interval) }
    if candle.isFlat, !followsFlat { return nil }
    if fill.content != nil { outcome.filled += 1 }
    return candle
  }

  // MARK: Longer timeframes

  /// Slots of a longer timeframe in which something changed, or became known.
  func slots(at position: Int) -> [Range<Milliseconds>] {
    let timeframe = rules.timeframes[position]
    let changes = (rules.divider(of: position).map { touched[$0] } ?? []) + asked
    return Set(changes.map(timeframe.openTime)).sorted().map { $0..<$0 &+ timeframe.interval }
  }

  func builder(of parts: ArraySlice<SettledCandle>) -> CandleBuilder {
    var builder = CandleBuilder.empty
    for part in parts { builder.absorb(part.builder) }
    return builder
  }

  /// Folds a settled longer candle anew, or makes it.
  mutating func fold(_ slot: Range<Milliseconds>, at position: Int) {
    guard let divider = rules.divider(of: position) else { return }
    let parts = views[divider].inside(slot)
    guard let last = parts.last else { return }
    let new = SettledCandle(
      openTime: slot.lowerBound, builder: builder(of: parts), flatPrice: last.close, flatRun: 0,
      complete: isComplete(slot, partsOf: position),
      settlement: Settlement(revision: 0, settledBy: .history, version: 0, bornLate: true),
      hasHistory: parts.contains(where: \.hasHistory))
    let index = views[position].lowerBound(slot.lowerBound)
    guard index < views[position].candles.count, views[position][index].openTime == slot.lowerBound else {
      views[position].insert(new, at: index)
      return touched[position].append(slot.lowerBound)
    }
    var candle = views[position][index]
    let before = candle.candle
    candle.builder = new.builder
    candle.flatPrice = new.flatPrice
    candle.hasHistory = new.hasHistory
    candle.complete = candle.complete || new.complete
    guard candle.candle != before else { return }
    views[position][index] = candle
    touched[position].append(slot.lowerBound)
  }

  /// Whether all is known of a slot of a longer timeframe: its parts are complete, and where none is it was silent.
  func isComplete(_ slot: Range<Milliseconds>, partsOf position: Int) -> Bool {
    guard let divider = rules.divider(of: position) else { return false }
    var at = slot.lowerBound
    for part in views[divider].inside(slot) {
      guard part.complete, wasSilent(at..<part.openTime) else { return false }
      at = part.openTime &+ rules.timeframes[divider].interval
    }
    return wasSilent(at..<max(at, slot.upperBound))
  }

  /// Whether a stretch without candles was listened to.
  private func wasSilent(_ stretch: Range<Milliseconds>) -> Bool {
    if stretch.isEmpty || basis.told.contains(stretch) { return true }
    // Of trades that are missing by their ids settlement forgets those of long ago.
    return !unknown.overlaps(stretch)
      && (stretch.lowerBound >= basis.heardSince || listening.covers(stretch.lowerBound, stretch.upperBound))
  }

  private func wasListening(at end: Milliseconds) -> Bool {
    listening.reaches(end: end)
      || (end > basis.heardSince && !unknown.ranges.contains { $0.lowerBound < end && $0.upperBound >= end })
  }
}

extension SettledCandle {
  /// Is replaced whole by what a history source says.
  mutating func take(history content: CandleContent, after previous: SettledCandle?, interval: Milliseconds) {
    hasHistory = true
    complete = true
    // Some sources do not count ticks: a row without volume that stays at the close before it had none.
    let isFlat =
      content.ticks == 0
      || (content.ticks == nil && content.volume == .zero && content.high == content.low
        && content.close == previous?.close)
    flatPrice = content.close
    builder = isFlat ? .empty : CandleBuilder(restoring: content, from: openTime, to: openTime &+ interval)
  }
}

extension Array where Element == Milliseconds {
  /// By halving; the array is sorted.
  fileprivate func contains(sorted value: Milliseconds) -> Bool {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == value
  }
}
