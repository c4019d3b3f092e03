import CandleCore

/// A feed of the configuration, as the daemon uses it.
struct FeedSpecification: Sendable, Equatable {
  var name: String
  var url: String
  var symbol: String
  var timestamp: TimestampUnit = .auto
  var allowsNonpositivePrice = false
  /// Whether trade ids have no holes, so that a hole is a gap.
  var contiguousIDs = false
  /// Texts sent after connecting.
  var subscribe: [String] = []
  /// Milliseconds without a message after which the socket is dropped; 0 = never.
  var silence: Milliseconds = 60_000
  /// PEM file of a private certificate authority.
  var certificateAuthority: String?
  var history: HistorySpecification?

  /// A symbol in the spelling of the venue; nil if the feed does not carry it.
  func venueName(of symbol: String) -> String? { symbol == self.symbol ? symbol : nil }

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
