/// Finds where the values of a JSON text begin and end, without building them: a history body has a million numbers,
/// and a row with a bad one (`NaN`, which some JSON writers send) must not cost the rows beside it.
///
/// Strings and brackets are matched. What stands inside a nested value is judged by whoever looks into it.
struct JSONCursor {
  static let maximumDepth = 64

  let text: UnsafeRawBufferPointer
  private(set) var at: Int

  init(_ text: UnsafeRawBufferPointer, at: Int = 0) {
    self.text = text
    self.at = at
  }

  /// A cursor into a value that was found.
  func inside(_ range: Range<Int>) -> JSONCursor {
    JSONCursor(UnsafeRawBufferPointer(rebasing: text[range]))
  }

  func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[range]) }

  /// Behind the last value; spaces may follow.
  var isAtEnd: Bool {
    mutating get {
      skipSpace()
      return at == text.count
    }
  }

  /// The next byte that is no space; nil at the end.
  var next: UInt8? {
    mutating get { isAtEnd ? nil : text[at] }
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    at += 1
    return true
  }

  private mutating func skipSpace() {
    while at < text.count, text[at].isSpace { at += 1 }
  }

  /// The extent of the next value.
  /// - Returns: nil if there is none, with the cursor where it became clear: at the end if the text is cut.
  mutating func value() -> Range<Int>? {
    guard let first = next else { return nil }
    let start = at
    switch first {
    case UInt8(ascii: "\""): return skipString() ? start..<at : nil
    case UInt8(ascii: "["), UInt8(ascii: "{"): return skipNested() ? start..<at : nil
    default:
      while at < text.count, Self.isOfToken(text[at]) { at += 1 }
      return at > start ? start..<at : nil
    }
  }

  /// Numbers, `true`, `null`, and what is meant for them.
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }

  private mutating func skipString() -> Bool {
    at += 1
    while at < text.count {
      let byte = text[at]
      if byte < 32 { return false }
      at += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte == UInt8(ascii: "\\"), at < text.count { at += 1 }
    }
    return false
  }

  private mutating func skipNested() -> Bool {
    // One bit for each open bracket: 1 for a brace.
    var open: UInt64 = 0
    var depth = 0
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\""):
        guard skipString() else { return false }
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        guard depth < Self.maximumDepth else { return false }
        open = open << 1 | (text[at] == UInt8(ascii: "{") ? 1 : 0)
        depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        guard open & 1 == (text[at] == UInt8(ascii: "}") ? 1 : 0) else { return false }
        open >>= 1
        depth -= 1
        if depth == 0 {
          at += 1
          return true
        }
      default: break
      }
      at += 1
    }
    return false
  }

  /// The elements of an array.
  /// - Returns: false where it is no array or is cut; the elements before that have been handed out.
  mutating func elements(_ body: (Range<Int>) -> Void) -> Bool {
    guard take(UInt8(ascii: "[")) else { return false }
    if take(UInt8(ascii: "]")) { return true }
    repeat {
      guard let element = value() else { return false }
      body(element)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]"))
  }

  /// The members of an object: the key without its quotes, and the value.
  /// - Returns: as `elements`.
  mutating func members(_ body: (Range<Int>, Range<Int>) -> Void) -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    repeat {
      guard next == UInt8(ascii: "\""), let key = value(), take(UInt8(ascii: ":")), let value = value() else {
        return false
      }
      body(key.lowerBound + 1..<key.upperBound - 1, value)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}"))
  }
}
