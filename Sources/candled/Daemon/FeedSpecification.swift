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

  /// For logs and `/v1/status`: without user information and query, which may hold secrets.
  var publicURL: String {
    var text = url.prefix { $0 != "?" }
    if let scheme = text.range(of: "://"), let at = text.lastIndex(of: "@"), at > scheme.upperBound {
      text = text[..<scheme.upperBound] + text[text.index(after: at)...]
    }
    return String(text)
  }
}
