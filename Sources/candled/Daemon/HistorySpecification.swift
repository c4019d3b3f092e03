import CandleCore
import CandleFeeds

/// Where gaps and incomplete candles of a feed's symbols are filled from.
struct HistorySpecification: Sendable, Equatable {
  var url: String
  var format: HistoryFormat
  /// Whether a candle that the source leaves out had no ticks.
  var omitsEmpty = false
  /// PEM file of a private certificate authority.
  var certificateAuthority: String?
  /// Least milliseconds between two requests.
  var spacing: Milliseconds = 200
}
