/// From the bytes of a symbol to its number, without making a string of it: what a line of a producer begins with.
public struct SymbolInterner: Sendable {
  private struct Slot: Sendable {
    var hash: UInt64
    var number: Int32
    var offset: Int32
    var length: Int32
  }

  private var slots: ContiguousArray<Slot?> = ContiguousArray(repeating: nil, count: 64)
  private var names: ContiguousArray<UInt8> = []
  public private(set) var count = 0

  public init() {}

  /// The number that was given to a symbol, nil if none was.
  public func number(of name: UnsafeRawBufferPointer) -> Int32? {
    let hash = Self.hash(name)
    var at = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while let slot = slots[at] {
      if slot.hash == hash, isName(name, slot) { return slot.number }
      at = (at + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Gives a number to a symbol that has none yet.
  public mutating func insert(_ name: UnsafeRawBufferPointer, number: Int32) {
    if (count + 1) * 2 > slots.count { grow() }
    place(Slot(hash: Self.hash(name), number: number, offset: Int32(names.count), length: Int32(name.count)))
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
    var at = Int(truncatingIfNeeded: slot.hash) & (slots.count - 1)
    while slots[at] != nil { at = (at + 1) & (slots.count - 1) }
    slots[at] = slot
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: nil, count: old.count * 2)
    for slot in old { if let slot { place(slot) } }
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
    return hash ^ hash &>> 32
  }
}
