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
    for index in 0..<name.count where names[Int(slot.offset) + index] != name[index] { return false }
    return true
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

  /// FNV-1a, folded.
  private static func hash(_ name: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return hash ^ hash >> 32
  }
}
