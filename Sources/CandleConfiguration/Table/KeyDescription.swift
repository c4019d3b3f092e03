/// A key of the configuration, for those who look it up.
public struct KeyDescription: Sendable, Equatable {
  /// `settlement.grace`, `feeds[].url`.
  public var path: String
  /// The form of its value: `duration, 0 to 10m`.
  public var type: String
  /// As it stands in a file; nil if it has none.
  public var defaultText: String?
  public var isRequired: Bool
  /// One line.
  public var meaning: String

  func under(_ parent: String) -> KeyDescription {
    var copy = self
    copy.path = parent + path
    return copy
  }
}
