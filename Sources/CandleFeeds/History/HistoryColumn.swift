/// What a field of a row may be, whatever the format.
enum HistoryColumn: Int, CaseIterable {
  case openTime, open, high, low, close, volume, turnover, takerBuyVolume, ticks
  /// The last moment of the candle, or the one behind it.
  case closeTime
  case symbol, timeframe
  /// `forming` where the candle is not settled.
  case state
  case complete

  /// Names in a header line and in a candle object.
  private static let names: [(StaticString, HistoryColumn)] = [
    ("open_time", .openTime), ("open_ms", .openTime), ("timestamp", .openTime), ("open", .open), ("high", .high),
    ("low", .low), ("close", .close), ("volume", .volume), ("turnover", .turnover), ("quote_volume", .turnover),
    ("taker_buy_volume", .takerBuyVolume), ("ticks", .ticks), ("count", .ticks), ("close_time", .closeTime),
    // HitBTC's words.
    ("min", .low), ("max", .high), ("volume_quote", .turnover), ("symbol", .symbol), ("timeframe", .timeframe),
    ("state", .state), ("complete", .complete),
  ]

  /// - Parameter name: in small or capital letters; nil if no column is called so.
  init?(name: UnsafeRawBufferPointer) {
    for (known, column) in Self.names where name.isWord(known) {
      self = column
      return
    }
    return nil
  }

  /// The columns that every row must have, and what the header line calls them.
  static let required: [(HistoryColumn, String)] = [
    (.openTime, "open_time"), (.open, "open"), (.high, "high"), (.low, "low"), (.close, "close"),
  ]

  static let plain: [HistoryColumn?] = [.openTime, .open, .high, .low, .close, .volume]
  static let zxkline: [HistoryColumn?] = [.openTime, .close, .open, .high, .low, .volume]
  static let binance: [HistoryColumn?] = [
    .openTime, .open, .high, .low, .close, .volume, .closeTime, .turnover, .ticks, .takerBuyVolume, nil, nil,
  ]
  static let binanceCOINM: [HistoryColumn?] = [
    .openTime, .open, .high, .low, .close, .volume, .closeTime, nil, .ticks, .takerBuyVolume, nil, nil,
  ]
  static let bybit: [HistoryColumn?] = [.openTime, .open, .high, .low, .close, .volume, .turnover]
  static let okx: [HistoryColumn?] = [.openTime, .open, .high, .low, .close, .volume, nil, .turnover, .state]
  /// Volumes are contracts there, and the turnover is not their price.
  static let okxContracts: [HistoryColumn?] = [.openTime, .open, .high, .low, .close, .volume, nil, nil, .state]
  /// The sixth is the mean price, which was rounded.
  static let kraken: [HistoryColumn?] = [.openTime, .open, .high, .low, .close, nil, .volume, .ticks]
  static let coinbase: [HistoryColumn?] = [.openTime, .low, .high, .open, .close, .volume]
}

/// The fields of one row by what they are: their bytes without quotes and spaces, nil where missing or null.
struct HistoryFields {
  private var slots = InlineArray<14, UnsafeRawBufferPointer?>(repeating: nil)

  subscript(column: HistoryColumn) -> UnsafeRawBufferPointer? {
    get { slots[column.rawValue] }
    set { slots[column.rawValue] = newValue }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether it is this word, whatever the case of its ASCII letters.
  /// - Parameter word: in small letters.
  func isWord(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      let byte = self[index]
      if (byte >= 65 && byte <= 90 ? byte | 32 : byte) != word.utf8Start[index] { return false }
    }
    return true
  }

  /// Without the spaces around it.
  var trimmed: UnsafeRawBufferPointer {
    var range = 0..<count
    while !range.isEmpty, self[range.lowerBound].isSpace { range = range.lowerBound + 1..<range.upperBound }
    while !range.isEmpty, self[range.upperBound - 1].isSpace { range = range.lowerBound..<range.upperBound - 1 }
    return UnsafeRawBufferPointer(rebasing: self[range])
  }

  /// Without spaces and one pair of quotes around it.
  var unquoted: UnsafeRawBufferPointer {
    let text = trimmed
    guard text.count >= 2, text[0] == UInt8(ascii: "\""), text[text.count - 1] == UInt8(ascii: "\"") else {
      return text
    }
    return UnsafeRawBufferPointer(rebasing: text[1..<text.count - 1]).trimmed
  }
}

extension UInt8 {
  var isSpace: Bool { self == 32 || self == 10 || self == 13 || self == 9 }
}
