/// A place in a file.
struct Position: Sendable, Equatable {
  /// From 1.
  var line: Int
  /// In characters, from 1.
  var column: Int
}

/// A value of the file, with the place where it stands.
struct Node: Sendable {
  struct Entry: Sendable {
    var key: String
    var position: Position
    var value: Node
  }

  enum Content: Sendable {
    /// A plain scalar may be a number, `true` or `null`; one in quotes is always a text.
    case scalar(String, isPlain: Bool)
    case list([Node])
    case map([Entry])
    /// Something that has been reported already.
    case refused
  }

  var position: Position
  var content: Content

  /// What a plain scalar stands for.
  enum Plain {
    case null
    case boolean(Bool)
    case number, text
  }

  /// As the core schema of YAML 1.2 reads it: `yes`, `on` and `1:30` are texts.
  static func plain(_ text: String) -> Plain {
    switch text {
    case "", "~", "null", "Null", "NULL": .null
    case "true", "True", "TRUE": .boolean(true)
    case "false", "False", "FALSE": .boolean(false)
    default: isNumber(text) ? .number : .text
    }
  }

  /// `null`, `~`, or nothing at all.
  var isNull: Bool {
    if case .scalar(let text, true) = content, case .null = Self.plain(text) { return true }
    return false
  }

  /// No value was written: `key:` alone.
  var isEmpty: Bool {
    if case .scalar("", true) = content { return true }
    return false
  }

  /// As a problem shows it.
  /// - Parameter isSecret: only the kind is shown.
  func shown(isSecret: Bool = false) -> String? {
    switch content {
    case .scalar("", true): "nothing"
    case .scalar(let text, _) where isNull: text
    case .scalar(let text, _): isSecret ? "a text" : Self.quoted(text)
    case .list: "a list"
    case .map: "a map"
    case .refused: nil
    }
  }

  /// In quotes, on one line, cut at 80 characters.
  static func quoted(_ text: String) -> String {
    var result = "\""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == 80 { return result + "…\"" }
      count += 1
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default:
        // Control characters, line separators and direction marks would make a log line lie.
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator:
          result += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  private static func isNumber(_ text: String) -> Bool {
    var rest = Substring(text)
    if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
    if [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(rest) { return true }
    if rest.hasPrefix("0x") { return rest.count > 2 && rest.dropFirst(2).utf8.allSatisfy(isHexadecimal) }
    if rest.hasPrefix("0o") { return rest.count > 2 && rest.dropFirst(2).utf8.allSatisfy { (48...55).contains($0) } }
    let whole = rest.utf8.prefix(while: isDigit).count
    rest = Substring(rest.utf8.dropFirst(whole))
    var fraction = 0
    if rest.first == "." {
      rest.removeFirst()
      fraction = rest.utf8.prefix(while: isDigit).count
      rest = Substring(rest.utf8.dropFirst(fraction))
    }
    guard whole + fraction > 0 else { return false }
    guard let mark = rest.first else { return true }
    guard mark == "e" || mark == "E" else { return false }
    rest.removeFirst()
    if rest.first == "+" || rest.first == "-" { rest.removeFirst() }
    return !rest.isEmpty && rest.utf8.allSatisfy(isDigit)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (65...70).contains(byte) || (97...102).contains(byte)
  }
}
