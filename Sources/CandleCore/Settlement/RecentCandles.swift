import CandlePrefetch

/// Settled candles of one series that may still be corrected, oldest first.
///
/// A ring: a candle that is settled or forgotten moves none of the others, which with many symbols lie in no cache.
struct RecentCandles: RandomAccessCollection, MutableCollection {
  /// All of them are in use, or the ring has room; what is not in use has an old candle in it.
  private var slots: ContiguousArray<SettledCandle>
  private var head = 0
  private(set) var count: Int

  init(_ candles: some Sequence<SettledCandle> = []) {
    slots = ContiguousArray(candles)
    count = slots.count
  }

  var startIndex: Int { 0 }
  var endIndex: Int { count }

  @inline(__always) private func place(_ index: Int) -> Int {
    let place = head &+ index
    return place < slots.count ? place : place &- slots.count
  }

  subscript(index: Int) -> SettledCandle {
    @inline(__always) get {
      precondition(index < count)
      return slots[place(index)]
    }
    @inline(__always) _modify {
      precondition(index < count)
      yield &slots[place(index)]
    }
  }

  mutating func append(_ candle: SettledCandle) {
    if count == slots.count { grow() }
    slots[place(count)] = candle
    count &+= 1
  }

  mutating func insert(_ candle: SettledCandle, at index: Int) {
    var all = ContiguousArray(self)
    all.insert(candle, at: index)
    self = RecentCandles(all)
  }

  mutating func removeFirst(_ number: Int) {
    precondition(number <= count)
    head = place(number)
    count &-= number
  }

  @discardableResult
  mutating func removeLast() -> SettledCandle {
    let last = self[count - 1]
    count &-= 1
    return last
  }

  /// Room for one more, with an old candle in it.
  @inline(never)
  private mutating func grow() {
    var larger = ContiguousArray<SettledCandle>()
    // By one, not by half: ten thousand symbols hold three lists each.
    larger.reserveCapacity(count + 1)
    larger.append(contentsOf: self)
    larger.append(larger.first ?? .nothing)
    slots = larger
    head = 0
  }

  /// Asks for the memory of the newest candle, of the place of the next one, and of what says whether the oldest is to be
  /// forgotten.
  @inline(__always)
  func prefetch() {
    guard count > 0 else { return }
    slots.withUnsafeBufferPointer { slots in
      let base = UnsafeRawPointer(slots.baseAddress.unsafelyUnwrapped)
      let size = MemoryLayout<SettledCandle>.stride
      let next = place(count)
      candled_prefetch(base + head &* size + (size &- 1))
      candled_prefetch(base + place(1) &* size)
      var at = 0
      while at < size {
        candled_prefetch(base + place(count &- 1) &* size + at)
        candled_prefetch(base + next &* size + at)
        at &+= 64
      }
    }
  }
}
