import CandleNet
import CandleWire

/// Why somebody was not let in.
enum AccessRefusal: String, CaseIterable {
  /// No token, or one that is none of ours: 401.
  case token
  /// A web page that may not produce: 403.
  case origin
  /// A producer of another machine while there are no tokens: 403.
  case notLocal = "not_local"
}

/// How often somebody was not let in, and when that was logged.
struct AccessCounters {
  private var counts = [Int64](repeating: 0, count: AccessRefusal.allCases.count)
  private var logLimits = [LogLimit](repeating: LogLimit(), count: AccessRefusal.allCases.count)

  subscript(refusal: AccessRefusal) -> Int64 { counts[refusal.index] }

  /// Counts one.
  /// - Returns: nil if no line is to be written, else how many were left out before it.
  mutating func count(_ refusal: AccessRefusal, at monotonic: Int64) -> Int? {
    counts[refusal.index] &+= 1
    return logLimits[refusal.index].pass(at: monotonic)
  }
}

extension AccessRefusal {
  fileprivate var index: Int { Self.allCases.firstIndex(of: self).unsafelyUnwrapped }
}

extension Daemon {
  /// Counts and tells that somebody was not let in. What was offered is told to nobody: it may be a token with a slip.
  /// - Parameter entrance: `ingest`, `stream` or `http`.
  func refused(_ refusal: AccessRefusal, at entrance: String, _ peer: PeerAddress) {
    guard let leftOut = access.count(refusal, at: instant.monotonic) else { return }
    log.warning(
      "somebody was not let in",
      ["reason": refusal.rawValue, "at": entrance, "address": peer.text, "left_out": "\(leftOut)"])
  }

  func writeAccessMetrics(to out: MetricsWriter) {
    out.metric("access_refused_total", .counter, "Requests and handshakes that were not let in.")
    for refusal in AccessRefusal.allCases {
      out.sample("access_refused_total", [("reason", refusal.rawValue)], access[refusal])
    }
  }
}
