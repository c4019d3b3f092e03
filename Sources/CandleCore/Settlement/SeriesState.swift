/// One timeframe of a settler: the slot that is open, and the settled candles that may still be corrected.
///
/// It cannot be copied, since a call through the pointer to it would, with a count of references for each of its lists.
struct SeriesState: ~Copyable {
  let timeframe: Timeframe
  /// No configured timeframe divides this one: it takes the ticks, and decides by itself where flat candles are.
  var isRoot: Bool { divider == nil }
  /// Position of the longest timeframe that divides this one; nil where none does.
  let divider: Int?
  /// Position of the timeframe whose ticks make this one's candles; its own, if it is one that takes them.
  let root: Int
  /// Positions of the longer timeframes that this one divides.
  let parents: [Int]

  init(_ timeframe: Timeframe, _ place: SettlementRules.Place) {
    self.timeframe = timeframe
    divider = place.divider
    root = place.root
    parents = place.parents
  }

  /// Begin of the slot that is not settled yet; every earlier slot is.
  var slotOpen: Milliseconds = 0
  var slotEnd: Milliseconds = 0
  /// What the open slot holds: of a root its ticks, else its settled parts, without the open slot of the divider, which
  /// is folded in when it settles. So a tick touches the roots only.
  var forming = CandleBuilder.empty
  /// A shorter candle inside the open slot is stored, so this one will be too, ticks or not.
  var holdsCandle = false
  /// A shorter candle inside the open slot was filled from a history source.
  var holdsHistory = false
  /// The open slot as it was stored at the end of a replay, when its interval was not over.
  var reopened: Settlement?
  /// Settled candles of the correction window, oldest first, and one older that the next flat one follows.
  var recent = RecentCandles()
  /// There are settled candles, older than these, that only the store has.
  var hasForgotten = false
  /// While a restart lasts: ticks of settled candles as a journal gives them back, by open time.
  var reclaimed: [Milliseconds: CandleBuilder] = [:]

  func isOpen(at openTime: Milliseconds) -> Bool { timeframe.openTime(of: openTime) == slotOpen }

  mutating func open(at time: Milliseconds) {
    slotOpen = timeframe.openTime(of: time)
    slotEnd = slotOpen &+ timeframe.interval
    forming.clear()
    holdsCandle = false
    holdsHistory = false
    reopened = nil
  }

  /// Position in `recent`; searched from the newest, where late ticks fall.
  func index(of openTime: Milliseconds) -> Int? {
    var at = recent.count - 1
    while at >= 0, recent[at].openTime >= openTime {
      if recent[at].openTime == openTime { return at }
      at -= 1
    }
    return nil
  }

  mutating func insert(_ candle: SettledCandle) -> Int {
    var at = recent.count
    while at > 0, recent[at - 1].openTime > candle.openTime { at -= 1 }
    recent.insert(candle, at: at)
    return at
  }

  /// Forgets what ended before `horizon`, but for the newest of those, and for what waits to be restated.
  mutating func prune(before horizon: Milliseconds) {
    var obsolete = 0
    while obsolete + 1 < recent.count, recent[obsolete + 1].openTime &+ timeframe.interval <= horizon,
      !recent[obsolete].touched
    {
      obsolete += 1
    }
    guard obsolete > 0 else { return }
    recent.removeFirst(obsolete)
    hasForgotten = true
  }
}
