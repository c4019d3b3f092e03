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

  /// What turns messages into ticks.
  enum Decoder {
    case lines(TextFormat)
    case venue(VenueDecoder)
    case json(JSONTradeDecoder)
  }

  private(set) var specification: FeedSpecification
  let source: SourceID
  /// What it carries; grows where every symbol of a venue is taken.
  var symbols: [Int32]
  private(set) var decoder: Decoder
  let venueNumber: UInt32
  /// The symbols of the requests that were sent on this connection, by the request's number. Empty where nothing is
  /// answered.
  var requests: [Int: [Int32]] = [:]
  /// Symbols that the venue sends trades of, as it said itself or as its trades show.
  var subscribed: Set<Int32> = []
  /// The newest of them, so that a run of trades of one symbol looks nothing up.
  var lastSubscribed: Int32 = -1
  /// Whether it was said that the venue does not answer.
  var toldUnanswered = false
  /// Monotonic time of the next heartbeat, in nanoseconds.
  var nextHeartbeat: Int64 = .max
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
  var historySymbols: [(number: Int32, venueName: String)] {
    zip(symbols, specification.symbols).map { (number: $0, venueName: $1.venue) }
  }

  /// - Parameter symbols: the numbers of the specification's symbols, in its order.
  init(_ specification: FeedSpecification, source: SourceID, symbols: [Int32]) {
    self.specification = specification
    self.source = source
    self.symbols = symbols
    venueNumber = specification.venueNumber
    decoder = Self.decoder(specification, symbols)
  }

  /// Carries other symbols of the same venue from now on.
  func change(to specification: FeedSpecification, symbols: [Int32]) {
    self.specification = specification
    self.symbols = symbols
    decoder = Self.decoder(specification, symbols)
    lastSubscribed = -1
  }

  private static func decoder(_ specification: FeedSpecification, _ symbols: [Int32]) -> Decoder {
    let pairs = zip(specification.symbols, symbols).map { (spelling: $0.venue, number: $1) }
    switch specification.dialect {
    case .csv:
      return .lines(
        TextFormat(
          timestamp: specification.timestamp, allowsNonpositivePrice: specification.allowsNonpositivePrice,
          symbolColumn: .none(symbols.first ?? 0)))
    case .venue(let venue):
      return .venue(
        VenueDecoder(venue, symbols: pairs, allowsNonpositivePrice: specification.allowsNonpositivePrice))
    case .json(let paths):
      return .json(
        JSONTradeDecoder(
          paths, symbols: jsonSymbols(paths, pairs), timestamp: specification.timestamp,
          allowsNonpositivePrice: specification.allowsNonpositivePrice))
    }
  }

  private static func jsonSymbols(
    _ paths: JSONTradePaths, _ pairs: [(spelling: String, number: Int32)]
  ) -> JSONTradeDecoder.Symbols {
    if pairs.isEmpty { return .every }
    if paths.symbol == nil { return .only(pairs[0].number) }
    var listed = SymbolInterner()
    for pair in pairs {
      var spelling = pair.spelling
      spelling.withUTF8 { listed.insert(UnsafeRawBufferPointer($0), number: pair.number) }
    }
    return .listed(listed)
  }
}

/// Ticks of one source of the metrics: a feed, or all producers together.
struct TickCounters {
  var messages: Int64 = 0
  /// Messages that hold no trades.
  var ignored: Int64 = 0
  var accepted: Int64 = 0
  /// By reason.
  var refused: [Int64] = Array(repeating: 0, count: RefusalReason.allCases.count)
  var logLimits: [LogLimit] = Array(repeating: LogLimit(), count: RefusalReason.allCases.count)

  var refusedTotal: Int64 { refused.reduce(0, +) }
}
