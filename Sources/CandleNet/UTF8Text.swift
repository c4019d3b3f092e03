/// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates, nothing past U+10FFFF.
enum UTF8Text {
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let end = bytes.count
    var at = 0
    while at < end {
      // Ticks are ASCII: eight bytes a step.
      while at + 8 <= end, base.loadUnaligned(fromByteOffset: at, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
        at += 8
      }
      guard at < end else { return true }
      let first = bytes[at]
      if first < 0x80 {
        at += 1
        continue
      }
      guard let (length, low, high) = sequence(first), at + length <= end else { return false }
      guard bytes[at + 1] >= low, bytes[at + 1] <= high else { return false }
      for next in stride(from: 2, to: length, by: 1) where bytes[at + next] & 0xc0 != 0x80 { return false }
      at += length
    }
    return true
  }

  /// Length of the sequence and the range of its second byte.
  private static func sequence(_ first: UInt8) -> (Int, UInt8, UInt8)? {
    switch first {
    case 0xc2...0xdf: (2, 0x80, 0xbf)
    case 0xe0: (3, 0xa0, 0xbf)
    case 0xed: (3, 0x80, 0x9f)
    case 0xe1...0xef: (3, 0x80, 0xbf)
    case 0xf0: (4, 0x90, 0xbf)
    case 0xf1...0xf3: (4, 0x80, 0xbf)
    case 0xf4: (4, 0x80, 0x8f)
    default: nil
    }
  }
}
