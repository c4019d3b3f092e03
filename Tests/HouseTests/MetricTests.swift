import Foundation
import Testing

@Suite struct MetricTests {
  /// Name and kind of every metric that is written anywhere, without the prefix.
  private func written() throws -> [String: String] {
    let expression = try NSRegularExpression(
      pattern: #"\.(?:metric|single)\(\s*"([a-z0-9_]+)",\s*\.(counter|gauge|histogram)"#)
    var found: [String: String] = [:]
    for file in House.sources where file.room == "candled" {
      for match in expression.matches(in: file.text, range: NSRange(file.text.startIndex..., in: file.text)) {
        found[String(file.text[Range(match.range(at: 1), in: file.text)!])] =
          String(file.text[Range(match.range(at: 2), in: file.text)!])
      }
    }
    return found
  }

  /// The rows of docs/metrics.md: name and kind.
  private func documented() throws -> [String: String] {
    var found: [String: String] = [:]
    for line in try House.text("docs/metrics.md").split(separator: "\n") where line.hasPrefix("| `candled_") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      found[String(cells[0].dropFirst(9).dropLast())] = cells[1]
    }
    return found
  }

  @Test func everyMetricIsInTheDocumentation() throws {
    let written = try written()
    #expect(written.count > 20)
    for (name, kind) in written.sorted(by: { $0.key < $1.key }) {
      #expect(try documented()[name] == kind, "candled_\(name), a \(kind)")
    }
  }

  @Test func theDocumentationNamesNoOther() throws {
    let written = try written()
    for name in try documented().keys.sorted() { #expect(written[name] != nil, "candled_\(name)") }
  }

  @Test func namesFollowTheConventionOfPrometheus() throws {
    for (name, kind) in try written() {
      #expect(name.hasSuffix("_total") == (kind == "counter"), "candled_\(name), a \(kind)")
      #expect(!name.hasPrefix("candled_") && !name.contains("milliseconds"), "candled_\(name)")
    }
  }
}
