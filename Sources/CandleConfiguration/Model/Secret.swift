/// A text that must not appear in a log, a problem or `/v1/status`: printing, interpolating or dumping it says
/// `hidden`.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible,
  CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself, for those who compare or send it.
  public let revealed: String

  public init(_ text: String) { revealed = text }
  public init(stringLiteral text: String) { revealed = text }

  public var description: String { "hidden" }
  public var debugDescription: String { "hidden" }
  public var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}
