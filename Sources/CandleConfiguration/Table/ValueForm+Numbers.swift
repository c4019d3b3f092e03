extension ValueForm where Value == Int {
  static func integer(_ range: ClosedRange<Int>) -> ValueForm {
    let expected =
      switch range.upperBound {
      case .max: "an integer from \(range.lowerBound)"
      case range.lowerBound + 1: "\(range.lowerBound) or \(range.upperBound)"
      default: "an integer from \(range.lowerBound) to \(range.upperBound)"
      }
    return .number(type: expected, reason: "is no integer", expected: expected, range: range, parse: parseInteger) {
      "\($0)"
    }
  }

  /// - Returns: nil if it is no decimal integer, or does not fit.
  static func parseInteger(_ text: String) -> Int? {
    // Int takes any digits that Swift knows; a file should hold only what YAML calls an integer.
    guard text.utf8.allSatisfy({ (43...57).contains($0) }) else { return nil }
    return Int(text)
  }
}

extension ValueForm where Value == Double {
  /// Above 0.
  static func positive(upTo most: Double) -> ValueForm {
    let expected = "a number above 0, up to \(written(most))"
    let range = Double.leastNonzeroMagnitude...most
    return .number(
      type: expected, reason: "is no number", expected: expected, range: range, parse: { Double($0) }, write: written)
  }

  private static func written(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
  }
}

extension ValueForm where Value: Comparable {
  /// A number without quotes.
  fileprivate static func number(
    type: String, reason: String, expected: String, range: ClosedRange<Value>, parse: @escaping (String) -> Value?,
    write: @escaping (Value) -> String
  ) -> ValueForm {
    ValueForm(
      type: type,
      read: { node, path, report in
        guard case .scalar(let text, true) = node.content, case .number = Node.plain(text), let value = parse(text)
        else {
          report.add(node, path, reason, expected: expected)
          return nil
        }
        guard range.contains(value) else {
          report.add(node, path, "is out of range", expected: expected)
          return nil
        }
        return value
      },
      write: write)
  }
}

extension ValueForm where Value == Bool {
  static var boolean: ValueForm {
    ValueForm(
      type: "true or false",
      read: { node, path, report in
        guard case .scalar(let text, true) = node.content, case .boolean(let value) = Node.plain(text) else {
          report.add(node, path, "is neither", expected: "true or false")
          return nil
        }
        return value
      },
      write: { $0 ? "true" : "false" })
  }
}

extension ValueForm {
  /// One of some names. They may look like a number or null (`50`, `null`) and need no quotes for it.
  static func choice(_ values: [Value], name: @escaping (Value) -> String) -> ValueForm {
    let names = values.map(name)
    let type = Spelling.alternatives(names)
    return ValueForm(
      type: type,
      read: { node, path, report in
        if case .scalar(let text, _) = node.content {
          if let value = values.first(where: { name($0) == text }) { return value }
          let hint = Spelling.nearest(to: text, in: names)
          report.add(node, path, "is unknown", expected: type + (hint.map { "; did you mean \($0)?" } ?? ""))
        } else {
          report.add(node, path, "is no text", expected: type)
        }
        return nil
      },
      write: { YAMLText.quotedIfNeeded(name($0)) })
  }

}

extension ValueForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  static func choice() -> ValueForm { .choice(Array(Value.allCases), name: \.rawValue) }
}
