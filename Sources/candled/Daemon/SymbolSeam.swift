import CandleCore
import CandleEngine
import CandleFeeds

/// A history source over HTTP, asked for one chunk at a time.
final class HistorySource {
  let specification: HistorySpecification
  var isAsking = false
  /// Monotonic time before which it is not asked, in nanoseconds.
  var notBefore: Int64 = 0
  var counters = HistoryCounters()
  private var failures = 0

  init(_ specification: HistorySpecification) { self.specification = specification }

  /// For logs and `/v1/status`: without the query, which may hold secrets.
  var publicURL: String { FeedSpecification.withoutSecrets(specification.url) }

  /// - Parameter isRefusal: the source itself said that it was asked too often.
  /// - Returns: milliseconds until it may be asked again.
  func failed(isRefusal: Bool) -> Milliseconds {
    failures = min(failures + 1, 9)
    return min(300_000, max(isRefusal ? 60_000 : 0, 500 << failures))
  }

  func succeeded() { failures = 0 }
}

/// What was asked and what came.
struct HistoryCounters {
  var requests: Int64 = 0
  /// By the short form of the error.
  var failures: [String: Int64] = [:]
  var refused: [HistoryRefusal.Reason: Int64] = [:]
  var lastError: String?
}

/// The seam of one symbol: which source fills it, and what it is to be asked for.
///
/// Of the loop's thread; others only carry it.
final class SymbolSeam: @unchecked Sendable {
  let symbol: Int32
  let name: String
  /// In the source's spelling.
  let venueName: String
  let source: HistorySource
  /// One a timeframe that takes ticks.
  var queues: [SeamQueue]
  /// Its position in `queues` while a request or a reading of the store is on its way.
  var running: Int?

  /// By timeframe, where candles were filled since their stored indicators were written anew.
  var changed: [Timeframe: Range<Milliseconds>] = [:]
  /// The version that has to be committed before that can be.
  var changedVersion: Int64 = 0

  init(symbol: Int32, name: String, venueName: String, source: HistorySource, rules: SettlementRules) {
    self.symbol = symbol
    self.name = name
    self.venueName = venueName
    self.source = source
    queues = rules.roots.map { SeamQueue(timeframe: $0, grace: rules.grace) }
  }

  /// Server time at which something can be asked for.
  var due: Milliseconds? { running == nil ? queues.lazy.compactMap(\.due).min() : nil }
  var candles: Int64 { queues.reduce(0) { $0 + $1.candles } }
}
