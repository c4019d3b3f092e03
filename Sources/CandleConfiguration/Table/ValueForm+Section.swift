extension ValueForm {
  /// A map with known keys. On one line only what differs from the defaults is written.
  static func section(_ section: Section<Value>, type: String = "a map") -> ValueForm {
    ValueForm(
      type: type,
      read: section.read,
      write: { value in
        let pairs = section.keys.compactMap { key -> String? in
          guard let text = key.write(value), key.isRequired || text != key.write(section.defaults) else { return nil }
          return "\(key.name): \(text)"
        }
        return pairs.isEmpty ? "{}" : "{ " + pairs.joined(separator: ", ") + " }"
      },
      writeLines: { section.lines($0, indent: $1) },
      keys: section.descriptions.map { $0.under(".") })
  }
}

extension Section {
  /// Every key with a comment above it; one without a value is a comment itself.
  func lines(_ root: Root, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    for key in keys {
      if indent == 0, !lines.isEmpty { lines.append("") }
      lines.append("\(margin)# \(key.meaning)" + (key.isSection ? "" : " (\(key.type))"))
      if let inner = key.writeLines?(root, indent + 2), !inner.isEmpty {
        lines.append("\(margin)\(key.name):")
        lines += inner
      } else if let text = key.write(root) {
        lines.append("\(margin)\(key.name): \(text)")
      } else {
        lines.append("\(margin)# \(key.name):")
        for inner in key.keys {
          lines.append("\(margin)#  \(inner.path.dropFirst(key.name.count + 1)):  # \(inner.meaning)")
        }
      }
    }
    return lines
  }
}
