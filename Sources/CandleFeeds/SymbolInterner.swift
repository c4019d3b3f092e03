/// From the bytes of a symbol to its number, without making a string of it: what a line of a producer begins with.
public struct SymbolInterner: Sendable {
  private struct Slot: Sendable {
    var hash: UInt64
    var number: Int32
    var offset: Int32
    var length: Int32
  }

  /// A symbol of up to 15 bytes as two words with zeros behind it; length 0 marks a free slot.
  private struct ShortSlot: Sendable {
    var low: UInt64 = 0
    var high: UInt64 = 0
    var number: Int32 = 0
    var length: Int32 = 0
  }

  /// Bytes that `numberBeforeComma` looks at.
  static let reach = 16

  /// Both tables have a power of two of slots, at least twice as many as symbols; none before the first symbol.
  private var slots: ContiguousArray<Slot?> = []
  private var shortSlots: ContiguousArray<ShortSlot> = []
  private var names: ContiguousArray<UInt8> = []
  public private(set) var count = 0

  public init() {}

  /// The number that was given to a symbol, nil if none was.
  public func number(of name: UnsafeRawBufferPointer) -> Int32? {
    if slots.isEmpty { return nil }
    let hash = Self.hash(name)
    var at = Self.place(hash, slots.count - 1)
    while let slot = slots[at] {
      if slot.hash == hash, isName(name, slot) { return slot.number }
      at = (at + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The symbol that stands before the next comma, if it is short and has a number.
  /// - Parameter text: `reach` bytes that may be read.
  @inline(__always)
  func numberBeforeComma(_ text: UnsafeRawPointer) -> (number: Int32, length: Int)? {
    if shortSlots.isEmpty { return nil }
    var low = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self))
    var high: UInt64 = 0
    var length = Self.comma(low)
    if length < 8 {
      low &= ~(~0 &<< UInt64(truncatingIfNeeded: length &* 8))
    } else {
      high = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
      let rest = Self.comma(high)
      if rest == 8 { return nil }
      high &= ~(~0 &<< UInt64(truncatingIfNeeded: rest &* 8))
      length = 8 &+ rest
    }
    let mask = shortSlots.count &- 1
    var at = Self.shortHash(low, high, mask)
    return shortSlots.withUnsafeBufferPointer { slots in
      let slots = slots.baseAddress.unsafelyUnwrapped
      while slots[at].length != 0 {
        // The length too: a text with a zero byte is no symbol.
        if slots[at].low == low, slots[at].high == high, Int(slots[at].length) == length {
          return (slots[at].number, length)
        }
        at = (at &+ 1) & mask
      }
      return nil
    }
  }

  /// Slots that are looked at to find each short symbol once; tells how well they are spread.
  var shortSteps: Int {
    let mask = shortSlots.count - 1
    return shortSlots.indices.reduce(0) { steps, at in
      let slot = shortSlots[at]
      return slot.length == 0 ? steps : steps + 1 + (at - Self.shortHash(slot.low, slot.high, mask)) & mask
    }
  }

  /// Gives a number to a symbol that has none yet.
  public mutating func insert(_ name: UnsafeRawBufferPointer, number: Int32) {
    if (count + 1) * 2 > slots.count { grow() }
    place(Slot(hash: Self.hash(name), number: number, offset: Int32(names.count), length: Int32(name.count)))
    if (1..<Self.reach).contains(name.count) { placeShort(name, number) }
    names.append(contentsOf: name)
    count += 1
  }

  private func isName(_ name: UnsafeRawBufferPointer, _ slot: Slot) -> Bool {
    guard Int(slot.length) == name.count else { return false }
    return names.withUnsafeBytes { all in
      for index in 0..<name.count where all[Int(slot.offset) &+ index] != name[index] { return false }
      return true
    }
  }

  private mutating func place(_ slot: Slot) {
    var at = Self.place(slot.hash, slots.count - 1)
    while slots[at] != nil { at = (at + 1) & (slots.count - 1) }
    slots[at] = slot
  }

  private mutating func placeShort(_ name: UnsafeRawBufferPointer, _ number: Int32) {
    var slot = ShortSlot(number: number, length: Int32(name.count))
    for (index, byte) in name.enumerated() {
      if index < 8 {
        slot.low |= UInt64(byte) << UInt64(index * 8)
      } else {
        slot.high |= UInt64(byte) << UInt64(index * 8 - 64)
      }
    }
    place(slot)
  }

  private mutating func place(_ slot: ShortSlot) {
    var at = Self.shortHash(slot.low, slot.high, shortSlots.count - 1)
    while shortSlots[at].length != 0 { at = (at + 1) & (shortSlots.count - 1) }
    shortSlots[at] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: nil, count: max(64, old.count * 2))
    for slot in old { if let slot { place(slot) } }
    let oldShort = shortSlots
    shortSlots = ContiguousArray(repeating: ShortSlot(), count: slots.count)
    for slot in oldShort where slot.length != 0 { place(slot) }
  }

  /// Where the first comma of eight bytes stands; 8 if there is none.
  @inline(__always) private static func comma(_ word: UInt64) -> Int {
    let commas = word ^ 0x2c2c_2c2c_2c2c_2c2c
    // The lowest byte that is zero is found exactly; those behind it need not be.
    return ((commas &- 0x0101_0101_0101_0101) & ~commas & 0x8080_8080_8080_8080).trailingZeroBitCount &>> 3
  }

  /// The uppermost bits of a product depend on all bits of its factors; those below do not depend on the last characters,
  /// in which the symbols of a venue differ most.
  @inline(__always) private static func place(_ hash: UInt64, _ mask: Int) -> Int {
    Int(truncatingIfNeeded: hash &>> UInt64(truncatingIfNeeded: mask.leadingZeroBitCount))
  }

  @inline(__always) private static func shortHash(_ low: UInt64, _ high: UInt64, _ mask: Int) -> Int {
    let mixed = (low ^ (high &<< 32 | high &>> 32)) &* 0x9e37_79b9_7f4a_7c15
    return place(mixed, mask)
  }

  /// Eight bytes a step, the last ones with zeros behind them.
  private static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: name.count)
    var at = 0
    while at &+ 8 <= name.count {
      hash = (hash ^ name.loadUnaligned(fromByteOffset: at, as: UInt64.self)) &* 0x9e37_79b9_7f4a_7c15
      hash ^= hash &>> 32
      at &+= 8
    }
    var rest: UInt64 = 0
    while at < name.count {
      rest = rest &<< 8 | UInt64(name[at])
      at &+= 1
    }
    hash = (hash ^ rest) &* 0x9e37_79b9_7f4a_7c15
    return hash
  }
}
