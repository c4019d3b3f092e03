/// What stands between the quotes of a string, or the bytes of another value, as in the text.
public struct JSONText {
  public let bytes: UnsafeRawBufferPointer
  /// Whether there are escapes in it, so that the bytes are not what is meant.
  public let isEscaped: Bool

  public init(bytes: UnsafeRawBufferPointer, isEscaped: Bool) {
    self.bytes = bytes
    self.isEscaped = isEscaped
  }

  /// Whether it means this text.
  @inline(__always)
  public func equals(_ word: StaticString) -> Bool {
    if isEscaped { return string == word.description }
    let count = word.utf8CodeUnitCount
    guard bytes.count == count else { return false }
    let start = word.utf8Start
    for index in 0..<count where bytes[index] != start[index] { return false }
    return true
  }

  /// Whether it means a text of which these are the bytes.
  public func equals(_ other: [UInt8]) -> Bool {
    if isEscaped { return Array(string.utf8) == other }
    guard bytes.count == other.count else { return false }
    for index in 0..<other.count where bytes[index] != other[index] { return false }
    return true
  }

  /// Its only byte; nil if it has another length or escapes.
  @inline(__always)
  public var letter: UInt8? { bytes.count == 1 ? bytes[0] : nil }

  /// Calls `body` with what is meant; only escapes cost a copy.
  @inline(__always)
  public func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    if !isEscaped { return body(bytes) }
    var copy = string
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  /// What is meant, as a string.
  public var string: String {
    if !isEscaped { return String(decoding: bytes, as: UTF8.self) }
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "\\"), at + 1 < bytes.count else {
        out.append(bytes[at])
        at += 1
        continue
      }
      switch bytes[at + 1] {
      case UInt8(ascii: "b"): out.append(8)
      case UInt8(ascii: "f"): out.append(12)
      case UInt8(ascii: "n"): out.append(10)
      case UInt8(ascii: "r"): out.append(13)
      case UInt8(ascii: "t"): out.append(9)
      case UInt8(ascii: "u"):
        let (scalar, length) = escapedScalar(at)
        out.append(contentsOf: String(Character(scalar)).utf8)
        at += length
        continue
      default: out.append(bytes[at + 1])
      }
      at += 2
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Of one `\uXXXX` or of a pair, with the length of the escape in the text.
  private func escapedScalar(_ at: Int) -> (Unicode.Scalar, Int) {
    let first = Self.hex(bytes, at + 2) ?? 0xfffd
    if first & 0xfc00 == 0xd800, let second = Self.hex(bytes, at + 8) {
      return (Unicode.Scalar(0x10000 + ((first & 0x3ff) << 10 | (second & 0x3ff))) ?? "\u{fffd}", 12)
    }
    return (Unicode.Scalar(first) ?? "\u{fffd}", 6)
  }

  /// Four hexadecimal digits.
  static func hex(_ text: UnsafeRawBufferPointer, _ at: Int) -> UInt32? {
    guard at + 4 <= text.count else { return nil }
    var value: UInt32 = 0
    for index in at..<at + 4 {
      let byte = text[index]
      switch byte {
      case 48...57: value = value << 4 | UInt32(byte - 48)
      case 65...70: value = value << 4 | UInt32(byte - 55)
      case 97...102: value = value << 4 | UInt32(byte - 87)
      default: return nil
      }
    }
    return value
  }
}

/// A value of a JSON text.
public struct JSONItem {
  public enum Kind: UInt8, Sendable { case null, bool, number, string, array, object }

  public let kind: Kind
  /// Of a string without quotes, of an array or object with its brackets.
  public let text: JSONText

  public init(kind: Kind, text: JSONText) {
    self.kind = kind
    self.text = text
  }

  @inline(__always)
  public var bytes: UnsafeRawBufferPointer { text.bytes }

  /// A scanner of an array or object, which has been checked.
  @inline(__always)
  public var inside: JSONScanner { JSONScanner(text.bytes) }

  /// Whether it is a string, or a number, that stands for itself: what prices, times and ids may be.
  @inline(__always)
  public var isScalar: Bool { kind == .string || kind == .number }

  /// Whether it is this string.
  @inline(__always)
  public func isString(_ word: StaticString) -> Bool { kind == .string && text.equals(word) }

  public var isTrue: Bool { kind == .bool && text.bytes.count == 4 }
}

extension JSONText {
  /// Whether it begins with this text. A text with escapes does not.
  @inline(__always)
  public func begins(with word: StaticString) -> Bool {
    guard !isEscaped, bytes.count >= word.utf8CodeUnitCount else { return false }
    for index in 0..<word.utf8CodeUnitCount where bytes[index] != word.utf8Start[index] { return false }
    return true
  }

  /// Without its first bytes; of a text without escapes.
  public func dropping(_ count: Int) -> JSONText {
    JSONText(bytes: UnsafeRawBufferPointer(rebasing: bytes[count...]), isEscaped: isEscaped)
  }
}
