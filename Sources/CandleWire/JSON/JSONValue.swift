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
    var scanner = JSONScanner(text)
    guard let value = scanner.tree(), scanner.isAtEnd else { return nil }
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

extension JSONScanner {
  /// The next value as a tree.
  fileprivate mutating func tree() -> JSONValue? {
    switch next {
    case UInt8(ascii: "["):
      guard beginArray() else { return nil }
      var values: [JSONValue] = []
      while element() {
        guard let value = tree() else { return nil }
        values.append(value)
      }
      return failed ? nil : .array(values)
    case UInt8(ascii: "{"):
      guard beginObject() else { return nil }
      var members: [(key: String, value: JSONValue)] = []
      while let key = key() {
        guard let value = tree() else { return nil }
        members.append((key.string, value))
      }
      return failed ? nil : .object(members)
    default:
      guard let item = value() else { return nil }
      switch item.kind {
      case .null: return .null
      case .bool: return .bool(item.isTrue)
      case .number: return .number(item.text.string)
      default: return .string(item.text.string)
      }
    }
  }
}
