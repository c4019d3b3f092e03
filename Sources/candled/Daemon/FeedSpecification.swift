import CandleCore
import CandleFeeds

/// A feed of the configuration, as the daemon uses it.
struct FeedSpecification: Sendable, Equatable {
  /// A symbol as the venue and as the series spell it, with its assets where the configuration names them.
  struct Symbol: Sendable, Equatable {
    var venue: String
    var name: String
    var base: String?
    var quote: String?
  }

  /// How messages are read.
  enum Dialect: Sendable, Equatable {
    case csv
    case venue(Venue)
    case json(JSONTradePaths)
  }

  var name: String
  var url: String
  /// Exactly one with csv; none = every symbol, with json.
  var symbols: [Symbol]
  var dialect = Dialect.csv
  var timestamp: TimestampUnit = .auto
  var allowsNonpositivePrice = false
  /// Whether trade ids have no holes, so that a hole is a gap.
  var contiguousIDs = false
  /// Texts sent after connecting.
  var subscribe: [String] = []
  /// What keeps the connection open.
  var heartbeat: VenueDuty?
  /// Where gaps and incomplete candles are filled from.
  var history: HistorySpecification?
  /// Milliseconds without a message after which the socket is dropped; 0 = never.
  var silence: Milliseconds = 60_000
  /// PEM file of a private certificate authority.
  var certificateAuthority: String?

  init(name: String, url: String, symbols: [Symbol]) {
    self.name = name
    self.url = url
    self.symbols = symbols
  }

  /// A csv feed.
  init(name: String, url: String, symbol: String) {
    self.init(name: name, url: url, symbols: [Symbol(venue: symbol, name: symbol)])
  }

  /// The only symbol of a csv feed.
  var symbol: String { symbols.first?.name ?? "" }

  /// Whether the other one differs from it in nothing but symbols, of a venue that takes requests at any time.
  func differsInSymbols(from other: FeedSpecification) -> Bool {
    guard case .venue = dialect else { return false }
    var same = other
    same.symbols = symbols
    return same == self && symbols != other.symbols
  }

  /// Whose trade ids these are.
  var venueNumber: UInt32 {
    switch dialect {
    // All csv feeds of a symbol are one venue.
    case .csv: 1
    case .venue(let venue): venue.number
    // Feeds of one host are one venue. A hash, since the journal keeps it over restarts; FNV-1a, 32 bits.
    case .json: Venue.host(url).utf8.reduce(0x811c_9dc5) { ($0 ^ UInt32($1)) &* 0x0100_0193 } | 1 << 31
    }
  }

  /// A symbol in the spelling of the venue; nil if the feed does not name it.
  func venueName(of symbol: String) -> String? { symbols.first { $0.name == symbol }?.venue }

  /// For logs and `/v1/status`.
  var publicURL: String { Self.withoutSecrets(url) }

  /// An address without user information and query, which may hold secrets.
  static func withoutSecrets(_ url: String) -> String {
    var text = url.prefix { $0 != "?" }
    if let scheme = text.range(of: "://"), let at = text.lastIndex(of: "@"), at > scheme.upperBound {
      text = text[..<scheme.upperBound] + text[text.index(after: at)...]
    }
    return String(text)
  }
}
