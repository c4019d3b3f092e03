/// Where values begin and end, by matching strings and brackets only.
///
/// A history body has a million numbers, and a row with a bad one (`NaN`, which some JSON writers send) must not cost
/// the rows beside it: what stands inside a value is judged by whoever looks into it.
extension JSONScanner {
  /// A scanner of a value that was found.
  public func inside(_ range: Range<Int>) -> JSONScanner {
    JSONScanner(UnsafeRawBufferPointer(rebasing: text[range]))
  }

  public func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: text[range]) }

  /// The extent of the next value.
  /// - Returns: nil if there is none, with the scanner where it became clear: at the end if the text is cut.
  public mutating func extent() -> Range<Int>? {
    guard let first = next else { return nil }
    let start = at
    switch first {
    case UInt8(ascii: "\""): return matchString() ? start..<at : nil
    case UInt8(ascii: "["), UInt8(ascii: "{"): return matchNested() ? start..<at : nil
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

  private mutating func matchString() -> Bool {
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

  private mutating func matchNested() -> Bool {
    // One bit for each open bracket: 1 for a brace.
    var open: UInt64 = 0
    var depth = 0
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: "\""):
        guard matchString() else { return false }
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
  public mutating func elements(_ body: (Range<Int>) -> Void) -> Bool {
    guard take(UInt8(ascii: "[")) else { return false }
    if take(UInt8(ascii: "]")) { return true }
    repeat {
      guard let element = extent() else { return false }
      body(element)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]"))
  }

  /// The members of an object: the key without its quotes, and the value.
  /// - Returns: as `elements`.
  public mutating func members(_ body: (Range<Int>, Range<Int>) -> Void) -> Bool {
    guard take(UInt8(ascii: "{")) else { return false }
    if take(UInt8(ascii: "}")) { return true }
    repeat {
      guard next == UInt8(ascii: "\""), let key = extent(), take(UInt8(ascii: ":")), let value = extent() else {
        return false
      }
      body(key.lowerBound + 1..<key.upperBound - 1, value)
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}"))
  }
}
