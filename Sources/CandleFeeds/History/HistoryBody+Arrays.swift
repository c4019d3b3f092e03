import CandleCore
import CandleWire

/// zxkline and binance: an array of rows whose fields are told by their place.
extension HistoryBody {
  /// An array of texts `"timestamp(s),close,open,high,low,volume"`.
  static func texts(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    reader.unit = .seconds
    try elements(text, UInt8(ascii: "\"")) { cursor, range in
      row(cursor.slice(range.lowerBound + 1..<range.upperBound - 1), HistoryColumn.zxkline, needed: 6, into: &reader)
    } other: {
      reader.refuse($0, .malformed)
    }
  }

  /// An array of arrays as Binance's klines are. Behind the volume fields may be missing.
  static func arrays(
    _ text: UnsafeRawBufferPointer, columns: [HistoryColumn?] = HistoryColumn.binance, needed: Int = 6,
    into reader: inout HistoryReader
  ) throws(HistoryError) {
    try elements(text, UInt8(ascii: "[")) { cursor, range in
      var fields = HistoryFields()
      var count = 0
      var isFlat = true
      var inner = cursor.inside(range)
      let isArray = inner.elements { [inner] element in
        if count < columns.count, let column = columns[count] {
          if let field = scalar(inner.slice(element)) { fields[column] = field.value } else { isFlat = false }
        }
        count += 1
      }
      guard isArray, isFlat, count >= needed else { return reader.refuse(cursor.slice(range), .malformed) }
      reader.take(fields, text: cursor.slice(range))
    } other: {
      reader.refuse($0, .malformed)
    }
  }

  /// The elements of a document that is one array.
  /// - Parameters:
  ///   - opening: the first byte that a row has.
  ///   - body: gets the rows.
  ///   - other: gets what is JSON, but no row.
  /// - Throws: if it is no whole array, or one without a single row but with other things.
  static func elements(
    _ text: UnsafeRawBufferPointer, _ opening: UInt8, _ body: (JSONScanner, Range<Int>) -> Void,
    other: (UnsafeRawBufferPointer) -> Void
  ) throws(HistoryError) {
    var cursor = JSONScanner(text)
    guard cursor.next == UInt8(ascii: "[") else { throw Self.other(text) }
    var rows = 0
    var others = 0
    let isArray = cursor.elements { [cursor] range in
      if text[range.lowerBound] == opening {
        rows += 1
        body(cursor, range)
      } else {
        others += 1
        other(cursor.slice(range))
      }
    }
    guard isArray, cursor.isAtEnd else { throw notWhole(&cursor) }
    if rows == 0, others > 0 { throw Self.other(text) }
  }

  /// What is wrong where a cursor stopped.
  static func notWhole(_ cursor: inout JSONScanner) -> HistoryError {
    cursor.isAtEnd ? .cut : .notJSON(at: cursor.at)
  }

  /// A field of a JSON row.
  struct Scalar {
    /// Without quotes; nil = null.
    var value: UnsafeRawBufferPointer?
  }

  /// - Returns: nil if it is an array or an object.
  static func scalar(_ text: UnsafeRawBufferPointer) -> Scalar? {
    switch text.first {
    case UInt8(ascii: "["), UInt8(ascii: "{"), nil: nil
    case UInt8(ascii: "\""): Scalar(value: text.unquoted)
    default: Scalar(value: text.isWord("null") ? nil : text)
    }
  }
}
