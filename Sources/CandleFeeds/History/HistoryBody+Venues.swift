import CandleCore
import CandleWire

/// Answers of the venues that wrap their rows.
extension HistoryBody {
  /// `{"retCode":0,"retMsg":"OK","result":{"list":[[…],…]}}`, newest first.
  static func bybit(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    let result = try member("result", of: text, in: text)
    try arrays(member("list", of: result, in: text), columns: HistoryColumn.bybit, into: &reader)
  }

  /// `{"code":"0","msg":"","data":[[…],…]}`, newest first.
  static func okx(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    // An error has empty data.
    guard try member("code", of: text, in: text).unquoted.isWord("0") else { throw other(text) }
    // `BTC-USDT` is spot; contracts have longer names.
    let isSpot = reader.symbol?.utf8.count { $0 == UInt8(ascii: "-") } == 1
    try arrays(
      member("data", of: text, in: text), columns: isSpot ? HistoryColumn.okx : HistoryColumn.okxContracts,
      into: &reader)
  }

  /// `{"error":[],"result":{"XXBTZUSD":[[…],…],"last":1688672160}}`: the pair has the venue's inner name.
  static func kraken(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    reader.unit = .seconds
    let result = try member("result", of: text, in: text)
    var rows: UnsafeRawBufferPointer?
    var cursor = JSONScanner(result)
    _ = cursor.members { [cursor] key, value in
      if !cursor.slice(key).isWord("last") { rows = cursor.slice(value) }
    }
    guard let rows else { throw other(text) }
    try arrays(rows, columns: HistoryColumn.kraken, needed: 7, into: &reader)
  }

  /// `[[time(s),low,high,open,close,volume],…]`, newest first.
  static func coinbase(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    reader.unit = .seconds
    try arrays(text, columns: HistoryColumn.coinbase, into: &reader)
  }

  /// `{"data":{"pair":"BTC/USD","ohlc":[{"timestamp":"1688671200",…},…]}}`.
  static func bitstamp(_ text: UnsafeRawBufferPointer, into reader: inout HistoryReader) throws(HistoryError) {
    reader.unit = .seconds
    let data = try member("data", of: text, in: text)
    try objects(member("ohlc", of: data, in: text), into: &reader)
  }

  /// A member of an object.
  /// - Parameter document: all of it, for what is said where there is none.
  private static func member(
    _ name: StaticString, of object: UnsafeRawBufferPointer, in document: UnsafeRawBufferPointer
  ) throws(HistoryError) -> UnsafeRawBufferPointer {
    var cursor = JSONScanner(object)
    guard cursor.next == UInt8(ascii: "{") else { throw other(document) }
    var found: UnsafeRawBufferPointer?
    let isObject = cursor.members { [cursor] key, value in
      if cursor.slice(key).isWord(name) { found = cursor.slice(value) }
    }
    guard isObject, cursor.isAtEnd else { throw notWhole(&cursor) }
    guard let found else { throw other(document) }
    return found
  }
}
