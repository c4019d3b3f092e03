/// Collects the problems of one file while it is read.
final class Report {
  let file: String
  private(set) var problems: [ConfigurationProblem] = []
  /// Nobody reads more than this, and a large file of nonsense must not take memory and time without bounds.
  private static let most = 1_000

  init(file: String) { self.file = file }

  /// A value that is not what it should be; nothing if the value was refused before.
  /// - Parameter isSecret: the value is not shown.
  func add(_ node: Node, _ path: String, _ reason: String, expected: String?, isSecret: Bool = false) {
    guard let value = node.shown(isSecret: isSecret) else { return }
    add(at: node.position, path, value: value, reason, expected: expected)
  }

  func add(at position: Position, _ path: String, value: String? = nil, _ reason: String, expected: String?) {
    guard !isFull else { return }
    problems.append(
      ConfigurationProblem(
        file: file, line: position.line, column: position.column, path: path, value: value, reason: reason,
        expected: expected))
    guard problems.count == Self.most else { return }
    problems.append(
      ConfigurationProblem(
        file: file, line: position.line, column: position.column, path: "", value: nil,
        reason: "there may be more problems than these \(Self.most)", expected: nil))
  }

  /// Further problems are not kept.
  var isFull: Bool { problems.count > Self.most }

  /// Whether the key or something in it has a problem: what depends on it cannot be judged.
  func hasProblem(in path: String) -> Bool {
    problems.contains { $0.path == path || $0.path.hasPrefix(path + ".") || $0.path.hasPrefix(path + "[") }
  }

  /// In the order of the file.
  var sorted: [ConfigurationProblem] {
    problems.enumerated().sorted {
      ($0.element.line, $0.element.column, $0.offset) < ($1.element.line, $1.element.column, $1.offset)
    }.map(\.element)
  }
}
