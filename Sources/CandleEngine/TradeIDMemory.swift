import CandleCore

/// The trade ids of one symbol at one venue that may still come again.
///
/// Two generations of a hash set: what is older than the correction window is too late anyway, so each id is kept for
/// one to two windows and memory is bounded by the rate of trades.
struct TradeIDMemory: Sendable {
  private var current = IDSet()
  private var previous = IDSet()
  private var rotateAt: Milliseconds
  private let period: Milliseconds

  /// - Parameter period: the longest time, in milliseconds, that a tick can be accepted after one with the same id.
  init(period: Milliseconds, now: Milliseconds) {
    self.period = period
    rotateAt = now &+ period
  }

  /// Remembers an id.
  /// - Returns: false if it was seen before.
  mutating func insert(_ id: TradeID, now: Milliseconds) -> Bool {
    if now >= rotateAt {
      previous = now >= rotateAt &+ period ? IDSet() : current
      current = IDSet()
      rotateAt = now &+ period
    }
    let key = id.low ^ (id.high << 31 | id.high >> 33)
    if previous.contains(key) { return false }
    return current.insert(key)
  }
}

/// An open-addressing set of 64-bit keys.
private struct IDSet: Sendable {
  private var slots: ContiguousArray<UInt64> = []
  private var count = 0
  private var hasZero = false

  func contains(_ key: UInt64) -> Bool {
    if key == 0 { return hasZero }
    if count == 0 { return false }
    return slots[find(key)] == key
  }

  mutating func insert(_ key: UInt64) -> Bool {
    if key == 0 {
      defer { hasZero = true }
      return !hasZero
    }
    if count &* 2 >= slots.count { grow() }
    let at = find(key)
    if slots[at] == key { return false }
    slots[at] = key
    count &+= 1
    return true
  }

  /// The slot that holds the key, or the free one where it belongs.
  private func find(_ key: UInt64) -> Int {
    let mask = slots.count &- 1
    // Fibonacci hashing: consecutive ids land far apart.
    var at = Int(truncatingIfNeeded: (key &* 0x9e37_79b9_7f4a_7c15) >> 20) & mask
    while slots[at] != 0, slots[at] != key { at = (at &+ 1) & mask }
    return at
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: 0, count: max(64, old.count * 2))
    for key in old where key != 0 { slots[find(key)] = key }
  }
}
