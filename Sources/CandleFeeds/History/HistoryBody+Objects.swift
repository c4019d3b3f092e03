import CandleCore
import CandleWire

/// candled and json: candle objects whose fields are told by their keys.
extension HistoryBody {
  /// `{"symbol":…,"timeframe":…,"candles":[…],"next":…}`.
  static func answer(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    var cursor = JSONScanner(text)
    guard cursor.next == UInt8(ascii: "{") else { throw other(text) }
    var candles: Range<Int>?
    var symbol: Range<Int>?
    var timeframe: Range<Int>?
    var next: Range<Int>?
    let isObject = cursor.members { [cursor] key, value in
      let key = cursor.slice(key)
      if key.isWord("candles") { candles = value }
      if key.isWord("symbol") { symbol = value }
      if key.isWord("timeframe") { timeframe = value }
      if key.isWord("next") { next = value }
    }
    guard isObject, cursor.isAtEnd else { throw notWhole(&cursor) }
    guard let candles, text[candles.lowerBound] == UInt8(ascii: "[") else { throw other(text) }
    func word(_ range: Range<Int>?) -> JSONValue? { range.flatMap { JSONValue(parsing: cursor.slice($0)) } }
    if let asked = reader.symbol, let named = word(symbol)?.string, named != asked { throw .otherSeries(named) }
    if let named = word(timeframe)?.string, named != reader.timeframe.name { throw .otherSeries(named) }
    try objects(cursor.slice(candles), into: &reader)
    reader.nextPage(from: word(next)?.integer)
  }

  /// An array of candle objects.
  static func objects(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    try elements(text, UInt8(ascii: "{")) { cursor, range in
      object(cursor.slice(range), into: &reader)
    } other: {
      reader.refuse($0, .malformed)
    }
  }

  /// One answer over any number of lines, or one candle or one answer a line.
  static func objectLines(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    guard text.trimmed.first == UInt8(ascii: "{") else { throw other(text) }
    var whole = JSONScanner(text)
    if whole.extent() != nil, whole.isAtEnd {
      if holdsCandles(text) { return try answer(text, into: &reader) }
      object(text, into: &reader)
      if !reader.sawTime { throw other(text) }
      return
    }
    var isFirst = true
    var holdsAnswers = false
    try forEachLine(text) { line throws(HistoryError) in
      var cursor = JSONScanner(line)
      let isWhole = cursor.next == UInt8(ascii: "{") && cursor.extent() != nil && cursor.isAtEnd
      // A first line that is no object begins a document that was cut somewhere behind it.
      if isFirst, !isWhole { throw notWhole(&cursor) }
      isFirst = false
      if !isWhole { return reader.refuse(line, .malformed) }
      if holdsCandles(line) {
        holdsAnswers = true
        return try answer(line, into: &reader)
      }
      object(line, into: &reader)
    }
    if !reader.sawTime, !holdsAnswers { throw other(text) }
  }

  private static func holdsCandles(_ text: UnsafeRawBufferPointer) -> Bool {
    var cursor = JSONScanner(text)
    var found = false
    _ = cursor.members { [cursor] key, _ in
      if cursor.slice(key).isWord("candles") { found = true }
    }
    return found
  }

  /// One candle object.
  private static func object(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) {
    var fields = HistoryFields()
    var isFlat = true
    var cursor = JSONScanner(text)
    let isObject = cursor.members { [cursor] key, value in
      guard let column = HistoryColumn(name: cursor.slice(key)) else { return }
      if let field = scalar(cursor.slice(value)) { fields[column] = field.value } else { isFlat = false }
    }
    guard isObject, isFlat else { return reader.refuse(text, .malformed) }
    reader.take(fields, text: text)
  }
}
