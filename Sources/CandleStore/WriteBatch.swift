import CandleCore

/// A settled candle on its way into the database. It replaces the row with the same series and open time.
public struct CandleRow: Sendable {
  public var series: SeriesKey
  /// Its `settlement` must not be nil.
  public var candle: Candle
  /// JSON text of its indicators, if they are stored.
  public var indicators: [UInt8]?

  public init(series: SeriesKey, candle: Candle, indicators: [UInt8]? = nil) {
    self.series = series
    self.candle = candle
    self.indicators = indicators
  }
}

/// Indicators that are stored anew with a candle, if that is still of this version.
public struct IndicatorRow: Sendable {
  public var series: SeriesKey
  public var openTime: Milliseconds
  public var version: Int64
  /// JSON text.
  public var text: [UInt8]

  public init(series: SeriesKey, openTime: Milliseconds, version: Int64, text: [UInt8]) {
    self.series = series
    self.openTime = openTime
    self.version = version
    self.text = text
  }
}

/// What is committed together or not at all.
public struct WriteBatch: Sendable {
  /// Symbols that this process interned since the last batch; each must come with or before its first row.
  public var symbols: [(id: Int32, name: String)] = []
  public var candles: [CandleRow] = []
  public var indicators: [IndicatorRow] = []
  /// A gap is identified by symbol and `from`; another one with the same replaces it.
  public var gaps: [Gap] = []
  /// The largest version given out so far, where that is more than those of the rows.
  public var lastVersion: Int64 = 0
  /// Named numbers kept in the same transaction, e.g. how far a journal is no longer needed.
  public var marks: [(name: String, value: Int64)] = []

  public init() {}

  /// The largest version in it.
  var newestVersion: Int64 {
    var newest = lastVersion
    for row in candles { newest = max(newest, row.candle.settlement?.version ?? 0) }
    for gap in gaps { newest = max(newest, gap.version) }
    return newest
  }

  public var isEmpty: Bool {
    symbols.isEmpty && candles.isEmpty && indicators.isEmpty && gaps.isEmpty && lastVersion == 0 && marks.isEmpty
  }
}

/// A transaction that is in the database.
public struct StoreCommit: Sendable, Equatable {
  /// Number of the last batch in it, as `submit` returned it.
  public var sequence: UInt64
  /// All versions up to here are committed.
  public var version: Int64
  public var batches: Int
  public var candles: Int
  /// From the beginning of the (last) attempt to its end.
  public var seconds: Double
}

/// A transaction that failed; its batches are kept and tried again.
public struct StoreFailure: Sendable, Equatable {
  public var error: StoreError
  /// Failures in a row, from 1.
  public var attempt: Int
  public var retryMilliseconds: Int
  /// Batches that wait, those of the failed transaction included.
  public var pendingBatches: Int
}
