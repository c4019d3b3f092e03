extension JSONScanner {
  /// A string that begins here, without its quotes.
  mutating func string() -> JSONText? {
    at &+= 1
    let start = at
    var isEscaped = false
    var isASCII = true
    while true {
      skipPlain()
      guard at < text.count else { break }
      let byte = text[at]
      if byte == UInt8(ascii: "\"") {
        let bytes = UnsafeRawBufferPointer(rebasing: text[start..<at])
        guard isASCII || UTF8Check.isValid(bytes) else { break }
        at &+= 1
        return JSONText(bytes: bytes, isEscaped: isEscaped)
      }
      if byte >= 0x80 {
        isASCII = false
        at &+= 1
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
        guard skipEscape() else { break }
      } else {
        // A control character.
        break
      }
    }
    fail()
    return nil
  }

  /// Moves to the next quote, backslash, control character or byte beyond ASCII; eight bytes a step.
  @inline(__always)
  private mutating func skipPlain() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    while at &+ 8 <= text.count {
      let word = UInt64(littleEndian: text.loadUnaligned(fromByteOffset: at, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let backslash = word ^ (ones &* 0x5c)
      // The high bit of a byte that is zero after the subtraction, below 0x20, or beyond ASCII. A borrow can only mark
      // bytes behind a true mark, and the first one is what counts.
      let marks =
        (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash) | ((word &- (ones &* 0x20)) & ~word) | word)
        & highs
      if marks != 0 {
        at &+= marks.trailingZeroBitCount &>> 3
        return
      }
      at &+= 8
    }
    while at < text.count {
      let byte = text[at]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5c { return }
      at &+= 1
    }
  }

  /// `\n` and its kind, `\uXXXX`; a surrogate only as one of a pair.
  private mutating func skipEscape() -> Bool {
    guard at &+ 1 < text.count else {
      at = text.count
      return false
    }
    switch text[at &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      at &+= 2
      return true
    case UInt8(ascii: "u"):
      guard let first = JSONText.hex(text, at &+ 2) else { return false }
      at &+= 6
      if first & 0xf800 != 0xd800 { return true }
      guard first & 0xfc00 == 0xd800, at &+ 1 < text.count, text[at] == UInt8(ascii: "\\"),
        text[at &+ 1] == UInt8(ascii: "u"), let second = JSONText.hex(text, at &+ 2), second & 0xfc00 == 0xdc00
      else { return false }
      at &+= 6
      return true
    default: return false
    }
  }
}
