import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet

/// A feed's connection and what is counted of it.
final class Feed {
  enum State: Equatable {
    case dialling
    case connected
    /// Until a monotonic time, in nanoseconds.
    case waiting(until: Int64)
    case stopped

    var name: String {
      switch self {
      case .dialling: "dialling"
      case .connected: "connected"
      case .waiting: "waiting"
      case .stopped: "stopped"
      }
    }
  }

  let specification: FeedSpecification
  let source: SourceID
  let symbol: Int32
  let format: TextFormat
  var state = State.waiting(until: 0)
  var connection: ConnectionID?
  var backoff = Backoff()
  /// Whether it was dialled at least once.
  var wasDialled = false
  var connectedAt: Int64 = 0
  var lastMessage: Int64 = 0
  /// Event time of the newest accepted tick minus server time when it came, in milliseconds.
  var skew: Milliseconds?
  var lastError: String?
  var counters = TickCounters()
  var connects: Int64 = 0
  var silences: Int64 = 0

  /// What its history source is asked for.
  var historySymbols: [(number: Int32, venueName: String)] { [(symbol, specification.symbol)] }

  init(_ specification: FeedSpecification, source: SourceID, symbol: Int32) {
    self.specification = specification
    self.source = source
    self.symbol = symbol
    format = TextFormat(
      timestamp: specification.timestamp, allowsNonpositivePrice: specification.allowsNonpositivePrice,
      symbolColumn: .none(symbol))
  }
}

/// Ticks of one source of the metrics: a feed, or all producers together.
struct TickCounters {
  var messages: Int64 = 0
  var accepted: Int64 = 0
  /// By reason.
  var refused: [Int64] = Array(repeating: 0, count: RefusalReason.allCases.count)
  var logLimits: [LogLimit] = Array(repeating: LogLimit(), count: RefusalReason.allCases.count)

  var refusedTotal: Int64 { refused.reduce(0, +) }
}
