/// Base64 as `base64 -w 0` writes it (RFC 4648, section 4).
enum Base64 {
  /// The bytes of a text that a build wrote: without line ends, padded.
  static func decode(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { decode($0) }
  }

  static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var gathered: UInt32 = 0
    var bits = 0
    for character in text {
      guard let value = value(of: character) else { break }
      gathered = gathered << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: gathered >> UInt32(bits)))
      }
    }
    return bytes
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
