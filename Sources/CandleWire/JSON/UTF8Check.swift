/// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7).
enum UTF8Check {
  static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x80 {
        at += 1
        continue
      }
      // How many bytes follow, and what the first of them may be.
      let following: Int
      var second: ClosedRange<UInt8> = 0x80...0xbf
      switch byte {
      case 0xc2...0xdf: following = 1
      case 0xe0: (following, second) = (2, 0xa0...0xbf)
      case 0xed: (following, second) = (2, 0x80...0x9f)
      case 0xe1...0xef: following = 2
      case 0xf0: (following, second) = (3, 0x90...0xbf)
      case 0xf4: (following, second) = (3, 0x80...0x8f)
      case 0xf1...0xf3: following = 3
      default: return false
      }
      guard at + following < bytes.count, second.contains(bytes[at + 1]) else { return false }
      for index in at + 1...at + following where bytes[index] & 0xc0 != 0x80 { return false }
      at += following + 1
    }
    return true
  }
}
