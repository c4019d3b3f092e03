/// One thing that is wrong with a configuration file.
public struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// As it was named.
  public var file: String
  /// From 1; 0 = the file as a whole.
  public var line: Int
  /// In characters, from 1; 0 = the file as a whole.
  public var column: Int
  /// The key: `feeds[0].url`; empty = the file as a whole.
  public var path: String
  /// What was found, as it is shown: a text in quotes, `a list`, `a text` for a secret; nil if nothing was.
  public var value: String?
  /// What is wrong, as it follows the value: `is no duration`.
  public var reason: String
  /// What would be right; nil where `reason` says it.
  public var expected: String?

  public init(
    file: String, line: Int, column: Int, path: String, value: String?, reason: String, expected: String?
  ) {
    self.file = file
    self.line = line
    self.column = column
    self.path = path
    self.value = value
    self.reason = reason
    self.expected = expected
  }

  /// One line: `candled.yaml:12:9: feeds[0].silence: "10 lightyears" is no duration; expected something like 500ms`.
  public var description: String {
    var text = file
    if line > 0 { text += ":\(line):\(column)" }
    text += ": "
    if !path.isEmpty { text += path + ": " }
    if let value { text += value + " " }
    text += reason
    if let expected { text += "; expected " + expected }
    return text
  }
}

/// Everything that is wrong with a configuration file.
public struct ConfigurationProblems: Error, Sendable, Equatable, CustomStringConvertible {
  /// In the order of the file; at least one.
  public var list: [ConfigurationProblem]

  public init(list: [ConfigurationProblem]) { self.list = list }

  /// A line for each.
  public var description: String { list.map(\.description).joined(separator: "\n") }
}
