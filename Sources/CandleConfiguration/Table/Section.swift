/// A key of a section: its name, what it sets, the form of its value, and what it means.
struct Key<Root> {
  let name: String
  let meaning: String
  let type: String
  let isRequired: Bool
  let isSecret: Bool
  let isSection: Bool
  let keys: [KeyDescription]
  let read: (_ root: inout Root, _ node: Node, _ path: String, _ report: Report) -> Void
  let write: (Root) -> String?
  let writeLines: ((_ root: Root, _ indent: Int) -> [String])?

  init<Value>(
    _ name: String, _ property: WritableKeyPath<Root, Value>, _ form: ValueForm<Value>, isRequired: Bool = false,
    _ meaning: String
  ) {
    self.name = name
    self.meaning = meaning
    type = form.type
    self.isRequired = isRequired
    isSecret = form.isSecret
    isSection = form.writeLines != nil
    keys = form.keys.map { $0.under(name) }
    read = { root, node, path, report in
      if let value = form.read(node, path, report) { root[keyPath: property] = value }
    }
    write = { form.write($0[keyPath: property]) }
    writeLines = form.writeLines.map { lines in { root, indent in lines(root[keyPath: property], indent) } }
  }
}

/// A map with known keys.
struct Section<Root> {
  /// What it is without any key.
  let defaults: Root
  let keys: [Key<Root>]
  /// What keys say together; it can rely on nothing that has been reported.
  var check: (_ root: Root, _ view: SectionView) -> Void = { _, _ in }

  /// Every key with its default, those of the sections inside it as well.
  var descriptions: [KeyDescription] {
    keys.flatMap { key in
      // The default of a section is that of its keys, and an empty text stands for what follows from other keys.
      let written = key.isRequired ? nil : key.write(defaults)
      let isTold = key.keys.isEmpty || written == "[]"
      let defaultText = isTold && written != "\"\"" ? written : nil
      let own = KeyDescription(
        path: key.name, type: key.type, defaultText: defaultText, isRequired: key.isRequired, meaning: key.meaning)
      return [own] + key.keys
    }
  }

  /// - Returns: nil if it is no map. Otherwise what could be read, also if something in it has been reported.
  func read(_ node: Node, _ path: String, _ report: Report) -> Root? {
    guard let entries = entries(node, path, report) else { return nil }
    var root = defaults
    let view = SectionView(position: node.position, path: path, report: report)
    var lines: [String: Int] = [:]
    for entry in entries {
      guard let key = keys.first(where: { $0.name == entry.key }) else {
        reportUnknown(entry, path, report)
        continue
      }
      let place = view.path(of: key.name)
      if let first = lines.updateValue(entry.position.line, forKey: key.name) {
        report.add(at: entry.position, place, "is doubled: it is on line \(first) too", expected: nil)
        continue
      }
      view.values[key.name] = entry.value
      key.read(&root, entry.value, place, report)
    }
    for key in keys where key.isRequired && view.values[key.name] == nil {
      report.add(at: node.position, view.path(of: key.name), "is missing", expected: key.type)
    }
    check(root, view)
    return root
  }

  private func entries(_ node: Node, _ path: String, _ report: Report) -> [Node.Entry]? {
    if case .map(let entries) = node.content { return entries }
    // All keys of a section may be commented out.
    if node.isEmpty { return [] }
    let expected = "a map with " + Spelling.alternatives(keys.prefix(4).map(\.name)) + (keys.count > 4 ? " …" : "")
    // A text here may be the secret of one of the keys.
    report.add(node, path, "is no map", expected: expected, isSecret: true)
    return nil
  }

  private func reportUnknown(_ entry: Node.Entry, _ path: String, _ report: Report) {
    guard !report.isFull else { return }
    let hint = Spelling.nearest(to: entry.key, in: keys.map(\.name))
    // `{ tokens: one, two }` makes a key of the second token.
    let isSecret = hint == nil && entry.value.isEmpty && keys.contains(where: \.isSecret)
    let name = isSecret ? "…" : YAMLText.isName(entry.key) ? entry.key : Node.quoted(entry.key)
    var reason = "is an unknown key"
    if let hint {
      reason += " (did you mean \(hint)?)"
    } else if let place = Configuration.place(of: entry.key) {
      reason += " (did you mean \(place)?)"
    }
    let expected = Spelling.alternatives(keys.map(\.name))
    report.add(at: entry.position, path.isEmpty ? name : "\(path).\(name)", reason, expected: expected)
  }
}

/// What of a section is in the file, for checks that span keys.
final class SectionView {
  let position: Position
  let path: String
  let report: Report
  fileprivate(set) var values: [String: Node] = [:]

  init(position: Position, path: String, report: Report) {
    self.position = position
    self.path = path
    self.report = report
  }

  func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Whether it is written, with a value other than null.
  func has(_ key: String) -> Bool { values[key].map { !$0.isNull } ?? false }

  /// The key should be there.
  func reportMissing(_ key: String, expected: String) {
    report.add(at: values[key]?.position ?? position, path(of: key), "is missing", expected: expected)
  }

  /// The key should not be there; nothing happens if it is not.
  func refuse(_ key: String, _ reason: String, expected: String?) {
    guard has(key), let node = values[key] else { return }
    report.add(at: node.position, path(of: key), reason, expected: expected)
  }
}
