/// A place in a JSON value: keys and array positions, separated by dots, as in `data.0.price`.
public struct FieldPath: Sendable, Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
  /// At least one. A number is a position (from 0) where the value is an array, and a key where it is an object.
  public let segments: [String]

  public init(arrayLiteral segments: String...) { self.segments = segments }

  /// - Returns: nil if the text is empty, over 256 bytes, has an empty segment, or a space or control character.
  public init?(_ text: String) {
    guard text.utf8.count <= 256, text.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    segments = parts.map(String.init)
  }

  public var description: String { segments.joined(separator: ".") }
}
