/// Text for man(7), the macros that manual pages are written in.
struct Roff {
  private(set) var text: String

  /// - Parameters:
  ///   - title: of the page, in capitals by convention.
  ///   - section: 1 for programs, 5 for files.
  ///   - date: year-month-day.
  init(_ title: String, section: Int, date: String, source: String) {
    text = ".TH \(title) \(section) \"\(date)\" \"\(source)\" \"\"\n.nh\n.ad l\n"
  }

  mutating func section(_ name: String) { text += ".SH \"\(name)\"\n" }
  mutating func subsection(_ name: String) { text += ".SS \"\(Self.escaped(name))\"\n" }
  mutating func paragraph(_ lines: String) { text += ".PP\n\(Self.lines(lines))\n" }

  /// A term in bold with what it means.
  /// - Parameter note: behind the term, in italics; may be empty.
  mutating func term(_ term: String, note: String = "", _ meaning: String) {
    text += ".TP\n\\fB\(Self.escaped(term))\\fR"
    if !note.isEmpty { text += " \\fI\(Self.escaped(note))\\fR" }
    text += "\n\(Self.lines(meaning))\n"
  }

  /// As it stands, in the same width for all letters.
  mutating func verbatim(_ lines: String) { text += ".PP\n.EX\n\(Self.lines(lines))\n.EE\n" }

  /// A dash in a word is one that is typed, and a backslash is one.
  static func escaped(_ text: String) -> String {
    var out = ""
    for character in text {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "\"": out += "\\(dq"
      case "'": out += "\\(aq"
      case "…": out += "..."
      default: out.append(character)
      }
    }
    return out
  }

  /// A line that began with a dot or a quote would be taken for a request.
  static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let escaped = escaped(String(line))
      return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }.joined(separator: "\n")
  }
}
