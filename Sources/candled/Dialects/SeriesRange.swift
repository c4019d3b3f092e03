import CandleCore

/// Which candles of a series a client of another protocol asks for.
struct SeriesRange: Sendable {
  var symbol: String
  var timeframe: Timeframe
  /// Inclusive, Unix milliseconds; nil: the newest `limit` before `to`.
  var from: Milliseconds?
  /// Exclusive.
  var to: Milliseconds = .max
  var limit: Int
  /// Whether the newest `limit` are taken even where `from` is set.
  var takesNewest = false
  /// Whether the forming candle is one of them.
  var forming: Bool
  /// Whether the forming candle is one of `limit`, or comes on top of it.
  var countsForming = true
  var indicators = false
}

/// What was read.
struct SeriesRows: Sendable {
  /// Oldest first, the forming one last.
  var candles: [Candle]
  /// As many as candles, nil where none were asked for.
  var values: [[Double]?]
  /// Open time of the newest candle before the range, read only where the range is empty.
  var before: Milliseconds?
}
