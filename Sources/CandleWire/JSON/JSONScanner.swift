/// Reads JSON (RFC 8259) strictly, piece by piece and without allocating: requests of subscribers, messages of venues,
/// answers of history sources.
///
/// Values are handed out as the bytes they have in the text, so no digit of a number is lost. A caller that walks to
/// the end of a document without `failed` has seen a valid one: syntax, escapes, UTF-8, nesting of at most 64.
public struct JSONScanner {
  public static let maximumDepth = 64

  public let text: UnsafeRawBufferPointer
  /// Where reading stands.
  public internal(set) var at: Int
  /// Once something was found that is no JSON; nothing more is handed out then.
  public internal(set) var failed = false
  var depth = 0
  /// Whether the object or array that was opened last has had no member yet.
  private var isFirst = false

  public init(_ text: UnsafeRawBufferPointer, at: Int = 0) {
    self.text = text
    self.at = at
  }

  /// Whether a whole text is one JSON document.
  public static func isDocument(_ text: UnsafeRawBufferPointer) -> Bool {
    var scanner = JSONScanner(text)
    return scanner.value() != nil && scanner.isAtEnd
  }

  /// The next byte that is no space; nil at the end.
  public var next: UInt8? {
    mutating get {
      while at < text.count {
        let byte = text[at]
        if byte > 32 { return byte }
        guard byte == 32 || byte == 10 || byte == 13 || byte == 9 else { return byte }
        at &+= 1
      }
      return nil
    }
  }

  /// Behind the last value; spaces may follow.
  public var isAtEnd: Bool { mutating get { !failed && next == nil } }

  @discardableResult
  public mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    at &+= 1
    return true
  }

  @discardableResult
  mutating func fail() -> Bool {
    failed = true
    return false
  }

  // MARK: Objects and arrays

  /// Goes into an object; its members follow by `key`.
  /// - Returns: false, and stays where it is, if there is none.
  public mutating func beginObject() -> Bool { begin(UInt8(ascii: "{")) }

  /// Goes into an array; its elements follow by `element`.
  public mutating func beginArray() -> Bool { begin(UInt8(ascii: "[")) }

  private mutating func begin(_ bracket: UInt8) -> Bool {
    guard !failed, next == bracket else { return false }
    guard depth < Self.maximumDepth else { return fail() }
    at &+= 1
    depth &+= 1
    isFirst = true
    return true
  }

  /// The key of the next member, whose value has to be taken before the next call.
  /// - Returns: nil at the end of the object, which is left then, and where it is broken.
  public mutating func key() -> JSONText? {
    guard advance(closing: UInt8(ascii: "}")) else { return nil }
    guard next == UInt8(ascii: "\""), let key = string(), take(UInt8(ascii: ":")) else {
      fail()
      return nil
    }
    return key
  }

  /// Whether there is another element, which has to be taken before the next call; at the end the array is left.
  public mutating func element() -> Bool { advance(closing: UInt8(ascii: "]")) }

  private mutating func advance(closing bracket: UInt8) -> Bool {
    guard !failed, let byte = next else { return fail() }
    if byte == bracket {
      at &+= 1
      depth &-= 1
      isFirst = false
      return false
    }
    if !isFirst {
      guard byte == UInt8(ascii: ",") else { return fail() }
      at &+= 1
    }
    isFirst = false
    return true
  }

  // MARK: Values

  /// The next value, checked to its end.
  public mutating func value() -> JSONItem? {
    guard !failed, let byte = next else {
      fail()
      return nil
    }
    let start = at
    switch byte {
    case UInt8(ascii: "\""):
      guard let text = string() else { return nil }
      return JSONItem(kind: .string, text: text)
    case UInt8(ascii: "{"):
      guard skipObject() else { return nil }
      return item(.object, from: start)
    case UInt8(ascii: "["):
      guard skipArray() else { return nil }
      return item(.array, from: start)
    case UInt8(ascii: "t"): return word("true") ? item(.bool, from: start) : nil
    case UInt8(ascii: "f"): return word("false") ? item(.bool, from: start) : nil
    case UInt8(ascii: "n"): return word("null") ? item(.null, from: start) : nil
    default: return skipNumber() ? item(.number, from: start) : nil
    }
  }

  private func item(_ kind: JSONItem.Kind, from start: Int) -> JSONItem {
    JSONItem(kind: kind, text: JSONText(bytes: UnsafeRawBufferPointer(rebasing: text[start..<at]), isEscaped: false))
  }

  private mutating func skipObject() -> Bool {
    guard beginObject() else { return false }
    while key() != nil {
      guard value() != nil else { return false }
    }
    return !failed
  }

  private mutating func skipArray() -> Bool {
    guard beginArray() else { return false }
    while element() {
      guard value() != nil else { return false }
    }
    return !failed
  }

  private mutating func word(_ word: StaticString) -> Bool {
    guard text.count - at >= word.utf8CodeUnitCount else {
      at = text.count
      return fail()
    }
    for index in 0..<word.utf8CodeUnitCount where text[at + index] != word.utf8Start[index] { return fail() }
    at += word.utf8CodeUnitCount
    return true
  }

  private mutating func digits() -> Bool {
    let start = at
    while at < text.count, text[at] &- 48 < 10 { at &+= 1 }
    return at > start
  }

  private mutating func skipNumber() -> Bool {
    if text[at] == UInt8(ascii: "-") { at &+= 1 }
    guard at < text.count else { return fail() }
    if text[at] == UInt8(ascii: "0") { at &+= 1 } else if !digits() { return fail() }
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at &+= 1
      if !digits() { return fail() }
    }
    if at < text.count, text[at] | 32 == UInt8(ascii: "e") {
      at &+= 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at &+= 1 }
      if !digits() { return fail() }
    }
    return true
  }
}
