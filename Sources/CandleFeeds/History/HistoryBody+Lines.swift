import CandleCore

/// csv, and the bare lines of zxkline and binance files.
extension HistoryBody {
  /// Under a header line, or `open_time,open,high,low,close[,volume]` and whatever follows.
  static func table(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    reader.unit = .auto
    guard let header = header(text) else {
      return try lines(text, columns: HistoryColumn.plain, needed: 5, into: &reader)
    }
    var columns: [HistoryColumn?] = []
    for name in fields(header) {
      let column = HistoryColumn(name: name)
      // What others call so may be the start of the next candle, a date, or anything else.
      columns.append(column == .closeTime ? nil : column)
      // Words of candled's own files, whose times are milliseconds however few digits they have.
      if name.isWord("open_ms") || name.isWord("settled_by") { reader.unit = .milliseconds }
    }
    for (column, name) in HistoryColumn.required where !columns.contains(column) {
      // A line of unknown words is no header that lacks something.
      if !columns.contains(where: { $0 != nil }) { throw other(text) }
      throw .noColumn(name)
    }
    let count = columns.count
    try lines(text, columns: columns, needed: count, exact: true, skipping: 1, into: &reader)
  }

  /// Rows of Binance's archives; the newer ones have a header line.
  static func archive(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    let hasHeader = header(text) != nil
    try lines(text, columns: HistoryColumn.binance, needed: 6, skipping: hasHeader ? 1 : 0, into: &reader)
  }

  /// - Parameters:
  ///   - needed: the fewest fields of a row.
  ///   - exact: whether more of them are refused.
  ///   - skipping: so many lines at the start.
  /// - Throws: if there are lines, and not one of them has a time.
  static func lines(
    _ text: UnsafeRawBufferPointer, columns: [HistoryColumn?], needed: Int, exact: Bool = false, skipping: Int = 0,
    into reader: inout HistoryReader
  ) throws(HistoryError) {
    var line = 0
    try forEachLine(text) { text throws(HistoryError) in
      line += 1
      if line > skipping { row(text, columns, needed: needed, exact: exact, into: &reader) }
    }
    if line > skipping, !reader.sawTime { throw other(text) }
  }

  /// One row of fields between commas; what is behind the last column is not looked at.
  static func row(
    _ text: UnsafeRawBufferPointer, _ columns: [HistoryColumn?], needed: Int, exact: Bool = false,
    into reader: inout HistoryReader
  ) {
    var row = HistoryFields()
    var count = 0
    var start = 0
    for at in 0...text.count where at == text.count || text[at] == UInt8(ascii: ",") {
      if count < columns.count, let column = columns[count] {
        row[column] = UnsafeRawBufferPointer(rebasing: text[start..<at]).unquoted
      }
      count += 1
      start = at + 1
    }
    guard count >= needed, !exact || count == needed else { return reader.refuse(text, .malformed) }
    reader.take(row, text: text)
  }

  /// The lines that are not blank, without the spaces around them.
  static func forEachLine(
    _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) throws(HistoryError) -> Void
  ) throws(HistoryError) {
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      let line = UnsafeRawBufferPointer(rebasing: text[start..<end]).trimmed
      if !line.isEmpty { try body(line) }
      start = end + 1
    }
  }

  /// The first line, if it begins with a letter.
  private static func header(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let text = text.trimmed
    let line = UnsafeRawBufferPointer(rebasing: text.prefix { $0 != UInt8(ascii: "\n") })
    guard let first = line.unquoted.first(where: { $0 != UInt8(ascii: "\"") }) else { return nil }
    return (65...90).contains(first) || (97...122).contains(first) ? line : nil
  }

  private static func fields(_ line: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
    line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      UnsafeRawBufferPointer(rebasing: $0).unquoted
    }
  }
}
