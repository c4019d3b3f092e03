import CandleCore

/// Forms of the names in a configuration and on the command line.
enum Names {
  /// `[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}`
  static func isSymbol(_ text: String) -> Bool { matches(text, marks: "._:/-") }

  /// `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`
  static func isFeedName(_ text: String) -> Bool { matches(text, marks: "._-") }

  private static func matches(_ text: String, marks: String) -> Bool {
    guard (1...64).contains(text.utf8.count), let first = text.utf8.first, isAlphanumeric(first) else { return false }
    return text.utf8.allSatisfy { isAlphanumeric($0) || marks.utf8.contains($0) }
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
  }

  /// Not empty, and no control characters.
  static func isOneLine(_ text: String, upTo most: Int = 4_096) -> Bool {
    (1...most).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
  }
}

extension ValueForm where Value == String {
  /// A path of the file system.
  static var file: ValueForm {
    .text(
      "path of a file", reason: "is no path", expected: "the path of a file",
      parse: { Names.isOneLine($0) ? $0 : nil }, write: { $0 })
  }

  static var symbol: ValueForm {
    .text(
      "symbol", reason: "is no symbol",
      expected: "1 to 64 letters, digits or ._:/- that begin with a letter or digit", takesNumbers: true,
      parse: { Names.isSymbol($0) ? $0 : nil }, write: { $0 })
  }

  /// The spelling of a venue, which may be stranger than that of a series.
  static var venueSymbol: ValueForm {
    .text(
      "text", reason: "is no symbol", expected: "1 to 64 characters without spaces", takesNumbers: true,
      parse: { Names.isOneLine($0, upTo: 64) && !$0.utf8.contains(32) ? $0 : nil }, write: { $0 })
  }

  static var feedName: ValueForm {
    .text(
      "name", reason: "is no name of a feed",
      expected: "1 to 64 letters, digits or ._- that begin with a letter or digit, not ingest",
      parse: { Names.isFeedName($0) && $0 != "ingest" ? $0 : nil }, write: { $0 })
  }

  /// A value that is compared with what a venue sends: `1` and `true` are taken as they are written.
  static var comparedText: ValueForm {
    ValueForm(
      type: "text, number or boolean",
      read: { node, path, report in
        if case .scalar(let text, _) = node.content, !node.isNull, Names.isOneLine(text) { return text }
        report.add(node, path, "is no value", expected: "a text, a number, true or false")
        return nil
      },
      write: { YAMLText.quotedIfNeeded($0) })
  }
}

extension ValueForm where Value == Secret {
  /// Travels in a header and in a query.
  static var token: ValueForm {
    .text(
      "token", reason: "is no token", expected: "1 to 512 printable ASCII characters without spaces", isSecret: true,
      parse: { text in
        let isSound = (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (33...126).contains($0) }
        return isSound ? Secret(text) : nil
      },
      write: \.revealed)
  }

  /// A message to a venue; it may have several lines.
  static var message: ValueForm {
    .text(
      "text", reason: "is no message", expected: "a text of at most 64KiB", isSecret: true,
      parse: { (1...65_536).contains($0.utf8.count) ? Secret($0) : nil }, write: \.revealed)
  }
}

extension ValueForm where Value == FieldPath {
  static var fieldPath: ValueForm {
    .text(
      "path", reason: "is no path", expected: "keys separated by dots, like data.0.price", takesNumbers: true,
      parse: { FieldPath($0) }, write: \.description)
  }
}

extension ValueForm where Value == Timeframe {
  static var timeframe: ValueForm { .choice(Timeframe.allCases, name: \.name) }
}

extension ValueForm where Value == TimestampUnit {
  static var timestampUnit: ValueForm { .choice() }
}

extension ValueForm where Value == EmptyCandles {
  static var emptyCandles: ValueForm { .choice([.flat, .none], name: \.rawValue) }
}
