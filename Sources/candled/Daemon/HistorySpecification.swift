import CandleCore
import CandleFeeds

/// Where a feed's gaps and incomplete candles are filled from.
struct HistorySpecification: Sendable, Equatable {
  var url: String
  var format: HistoryFormat
  /// Whether a candle that the source leaves out had no ticks.
  var omitsEmpty = false
  /// PEM file of a private certificate authority.
  var certificateAuthority: String?
  /// Between two requests.
  var spacing: Milliseconds = 200
}
