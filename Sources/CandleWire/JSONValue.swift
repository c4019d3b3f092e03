/// A JSON document (RFC 8259), read strictly: requests of subscribers and small answers of others.
///
/// Numbers stay text, so that no digit is lost. Nesting is limited to 64.
public indirect enum JSONValue: Sendable, Equatable {
  case null
  case bool(Bool)
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([(key: String, value: JSONValue)])

  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let x), .bool(let y)): x == y
    case (.number(let x), .number(let y)): x == y
    case (.string(let x), .string(let y)): x == y
    case (.array(let x), .array(let y)): x == y
    case (.object(let x), .object(let y)):
      x.count == y.count && zip(x, y).allSatisfy { $0.key == $1.key && $0.value == $1.value }
    default: false
    }
  }

  /// Reads a whole document; nil if it is none.
  public init?(parsing text: UnsafeRawBufferPointer) {
    var parser = JSONParser(text: text)
    guard let value = parser.document() else { return nil }
    self = value
  }

  public init?(parsing text: String) {
    var copy = text
    guard let value = copy.withUTF8({ JSONValue(parsing: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = value
  }

  /// The value of a key of an object; of a doubled key the last.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.last { $0.key == key }?.value
  }

  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// A whole number.
  public var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

  public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

  /// Writes it as JSON text.
  public func write(to out: ByteWriter) {
    switch self {
    case .null: out.write("null")
    case .bool(let value): out.write(value ? "true" : "false")
    case .number(let text): out.write(text)
    case .string(let text): out.writeJSON(string: text)
    case .array(let values):
      out.write("[")
      for (index, value) in values.enumerated() {
        if index > 0 { out.write(",") }
        value.write(to: out)
      }
      out.write("]")
    case .object(let members):
      out.write("{")
      for (index, member) in members.enumerated() {
        if index > 0 { out.write(",") }
        out.writeJSON(string: member.key)
        out.write(":")
        member.value.write(to: out)
      }
      out.write("}")
    }
  }
}

private struct JSONParser {
  static let maximumDepth = 64

  let text: UnsafeRawBufferPointer
  var at = 0

  init(text: UnsafeRawBufferPointer) { self.text = text }

  mutating func document() -> JSONValue? {
    guard let result = value(depth: 0) else { return nil }
    skipSpace()
    return at == text.count ? result : nil
  }

  private mutating func skipSpace() {
    while at < text.count, text[at] == 32 || text[at] == 10 || text[at] == 13 || text[at] == 9 { at += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard at < text.count, text[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func word(_ word: StaticString) -> Bool {
    guard text.count - at >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where text[at + index] != word.utf8Start[index] { return false }
    at += word.utf8CodeUnitCount
    return true
  }

  private mutating func value(depth: Int) -> JSONValue? {
    skipSpace()
    guard at < text.count, depth < Self.maximumDepth else { return nil }
    switch text[at] {
    case UInt8(ascii: "n"): return word("null") ? .null : nil
    case UInt8(ascii: "t"): return word("true") ? .bool(true) : nil
    case UInt8(ascii: "f"): return word("false") ? .bool(false) : nil
    case UInt8(ascii: "\""): return string().map(JSONValue.string)
    case UInt8(ascii: "["): return array(depth: depth)
    case UInt8(ascii: "{"): return object(depth: depth)
    default: return number()
    }
  }

  private mutating func array(depth: Int) -> JSONValue? {
    at += 1
    var values: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    repeat {
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
      skipSpace()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "]")) ? .array(values) : nil
  }

  private mutating func object(depth: Int) -> JSONValue? {
    at += 1
    var members: [(key: String, value: JSONValue)] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      skipSpace()
      guard at < text.count, text[at] == UInt8(ascii: "\""), let key = string() else { return nil }
      skipSpace()
      guard take(UInt8(ascii: ":")), let value = value(depth: depth + 1) else { return nil }
      members.append((key, value))
      skipSpace()
    } while take(UInt8(ascii: ","))
    return take(UInt8(ascii: "}")) ? .object(members) : nil
  }

  private mutating func digits() -> Bool {
    let start = at
    while at < text.count, text[at] &- 48 < 10 { at += 1 }
    return at > start
  }

  private mutating func number() -> JSONValue? {
    let start = at
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) {
      guard digits() else { return nil }
    }
    if take(UInt8(ascii: ".")) {
      guard digits() else { return nil }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() else { return nil }
    }
    return .number(String(decoding: UnsafeRawBufferPointer(rebasing: text[start..<at]), as: UTF8.self))
  }

  private mutating func string() -> String? {
    at += 1
    let start = at
    while at < text.count, text[at] != UInt8(ascii: "\""), text[at] != UInt8(ascii: "\\"), text[at] >= 32 { at += 1 }
    var bytes = Array(text[start..<at])
    while at < text.count {
      let byte = text[at]
      at += 1
      if byte == UInt8(ascii: "\"") { return String(validating: bytes, as: UTF8.self) }
      if byte < 32 { return nil }
      if byte != UInt8(ascii: "\\") {
        bytes.append(byte)
        continue
      }
      guard at < text.count else { return nil }
      let escape = text[at]
      at += 1
      switch escape {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escape)
      case UInt8(ascii: "b"): bytes.append(8)
      case UInt8(ascii: "f"): bytes.append(12)
      case UInt8(ascii: "n"): bytes.append(10)
      case UInt8(ascii: "r"): bytes.append(13)
      case UInt8(ascii: "t"): bytes.append(9)
      case UInt8(ascii: "u"):
        guard let scalar = escapedScalar() else { return nil }
        bytes.append(contentsOf: String(Character(scalar)).utf8)
      default: return nil
      }
    }
    return nil
  }

  /// Behind `\u`; a surrogate only as one of a pair.
  private mutating func escapedScalar() -> Unicode.Scalar? {
    guard let first = hex() else { return nil }
    if first & 0xfc00 != 0xd800 { return Unicode.Scalar(first) }
    guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")), let second = hex(), second & 0xfc00 == 0xdc00 else {
      return nil
    }
    return Unicode.Scalar(0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff)))
  }

  private mutating func hex() -> UInt32? {
    guard text.count - at >= 4 else { return nil }
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = text[at]
      switch byte {
      case 48...57: value = value << 4 | UInt32(byte - 48)
      case 65...70: value = value << 4 | UInt32(byte - 55)
      case 97...102: value = value << 4 | UInt32(byte - 87)
      default: return nil
      }
      at += 1
    }
    return value
  }
}
