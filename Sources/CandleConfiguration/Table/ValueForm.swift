/// The form of a value: how it is read and checked, how it is written, and what the reference calls it.
struct ValueForm<Value> {
  /// What the reference says: `duration`, `a list of timeframes`.
  var type: String
  /// Problems do not show the value.
  var isSecret = false
  /// - Returns: nil if it was reported that the value is wrong.
  var read: (_ node: Node, _ path: String, _ report: Report) -> Value?
  /// As YAML on one line; nil where nothing is to be written.
  var write: (Value) -> String?
  /// As YAML with a key a line, for sections.
  var writeLines: ((_ value: Value, _ indent: Int) -> [String])?
  /// The keys of a section, with paths that go on from this key's: `.grace`, `[].url`.
  var keys: [KeyDescription] = []
}

extension ValueForm {
  /// Texts of one line that are read by `parse`.
  /// - Parameters:
  ///   - reason: as it follows the value: `is no duration`.
  ///   - takesNumbers: a number without quotes is taken as it is written.
  ///   - mask: what of the text problems show.
  static func text(
    _ type: String, reason: String, expected: String, isSecret: Bool = false, takesNumbers: Bool = false,
    mask: @escaping (String) -> String = { $0 }, parse: @escaping (String) -> Value?,
    write: @escaping (Value) -> String
  ) -> ValueForm {
    ValueForm(
      type: type, isSecret: isSecret,
      read: { node, path, report in
        guard case .scalar(let text, let isPlain) = node.content else {
          report.add(node, path, reason, expected: expected, isSecret: isSecret)
          return nil
        }
        if isPlain {
          let isText =
            switch Node.plain(text) {
            case .text: true
            case .number: takesNumbers
            case .null, .boolean: false
            }
          guard isText else {
            let hint = node.isNull || parse(text) == nil ? expected : expected + ", in quotes"
            report.add(node, path, reason, expected: hint, isSecret: isSecret)
            return nil
          }
        }
        guard let value = parse(text) else {
          let shown = Node(position: node.position, content: .scalar(mask(text), isPlain: isPlain))
          report.add(shown, path, reason, expected: expected, isSecret: isSecret)
          return nil
        }
        return value
      },
      write: { YAMLText.quotedIfNeeded(write($0), isNumberFine: takesNumbers) })
  }

  /// The value, or `null` for none.
  static func optional<Wrapped>(_ form: ValueForm<Wrapped>) -> ValueForm where Value == Wrapped? {
    ValueForm(
      type: form.type, isSecret: form.isSecret,
      read: { node, path, report in
        if node.isNull, !node.isEmpty { return .some(nil) }
        return form.read(node, path, report).map { $0 }
      },
      write: { $0.flatMap(form.write) },
      writeLines: form.writeLines.map { write in { value, indent in value.map { write($0, indent) } ?? [] } },
      keys: form.keys)
  }

  /// A list of values.
  /// - Parameter identity: what no two of them may share, as it is shown; nil if they may be alike.
  static func list<Element>(
    _ type: String, of form: ValueForm<Element>, count: ClosedRange<Int> = 0...100_000, takesOne: Bool = false,
    identity: ((Element) -> String)? = nil
  ) -> ValueForm where Value == [Element] {
    ValueForm(
      type: type, isSecret: form.isSecret,
      read: { node, path, report in
        guard case .list(let nodes) = node.content else {
          // All maps of a list may be commented out.
          if node.isEmpty, count.contains(0), !form.keys.isEmpty { return [] }
          if takesOne, case .scalar = node.content { return form.read(node, path, report).map { [$0] } }
          report.add(node, path, "is no list", expected: type, isSecret: form.isSecret)
          return nil
        }
        guard count.contains(nodes.count) else {
          let bound = nodes.count < count.lowerBound ? "at least \(count.lowerBound)" : "at most \(count.upperBound)"
          report.add(at: node.position, path, "has \(nodes.count) entries", expected: bound)
          return nil
        }
        var seen: [String: Int] = [:]
        var isWhole = true
        var values: [Element] = []
        for (index, item) in nodes.enumerated() {
          let place = "\(path)[\(index)]"
          guard let value = form.read(item, place, report) else {
            isWhole = false
            continue
          }
          if let identity, let first = seen.updateValue(index, forKey: identity(value)) {
            report.add(item, place, "is doubled: it is \(path)[\(first)] too", expected: nil, isSecret: form.isSecret)
          }
          values.append(value)
        }
        return isWhole ? values : nil
      },
      write: { "[" + $0.compactMap(form.write).joined(separator: ", ") + "]" },
      writeLines: form.keys.isEmpty
        ? nil
        : { values, indent in
          values.compactMap(form.write).map { String(repeating: " ", count: indent) + "- " + $0 }
        },
      keys: form.keys.map { $0.under("[]") })
  }

  /// The same form under another value type.
  func map<Other>(_ into: @escaping (Value) -> Other, from: @escaping (Other) -> Value) -> ValueForm<Other> {
    ValueForm<Other>(
      type: type, isSecret: isSecret,
      read: { node, path, report in read(node, path, report).map(into) },
      write: { write(from($0)) },
      writeLines: writeLines.map { lines in { value, indent in lines(from(value), indent) } },
      keys: keys)
  }
}
