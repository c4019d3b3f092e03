/// Texts as they stand in a YAML file.
enum YAMLText {
  /// Plain where that is read back as the same text, in double quotes otherwise.
  static func quotedIfNeeded(_ text: String, isNumberFine: Bool = false) -> String {
    let isPlain =
      switch Node.plain(text) {
      case .text: true
      case .number: isNumberFine
      case .null, .boolean: false
      }
    let first = text.utf8.first ?? 0
    let startsWell = isAlphanumeric(first) || first == UInt8(ascii: "/") || first == UInt8(ascii: ".")
    if isPlain, startsWell, text.utf8.last != UInt8(ascii: ":"), text.utf8.allSatisfy(isHarmless) { return text }
    return quoted(text)
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\u{20}"..."\u{7e}", "\u{a1}"..."\u{2027}", "\u{202a}"..."\u{d7ff}", "\u{e000}"..."\u{fefe}":
        result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16)
        result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      }
    }
    return result + "\""
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
  }

  private static func isHarmless(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "._:/+-@=".utf8.contains(byte)
  }
}

extension YAMLText {
  /// Whether a key can be shown as it is.
  static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
  }
}
