import CandleEngine
import CandleNet

/// The bounds that somebody can run into, by their key in the configuration.
enum Limit: String, CaseIterable {
  case connections = "limits.connections"
  case connectionsPerAddress = "limits.connections_per_address"
  case handshakeTime = "limits.handshake_time"
  case header = "limits.header"
  case message = "limits.max_message"
  case requests = "limits.requests_per_second"
  case topics = "limits.topics_per_connection"
  case snapshot = "limits.snapshot"
  case symbols = "limits.symbols"
  case backlog = "stream.max_backlog"
  case pending = "limits.pending"
  case journal = "limits.journal"
  case database = "limits.database"

  init(_ limit: NetLimit) {
    self =
      switch limit {
      case .connections: .connections
      case .connectionsPerAddress: .connectionsPerAddress
      case .handshakeTime: .handshakeTime
      case .head: .header
      case .message: .message
      }
  }

  init(_ limit: HubLimit) {
    self =
      switch limit {
      case .topics: .topics
      case .snapshot: .snapshot
      case .backlog: .backlog
      }
  }

  /// What `/readyz` says while it is reached.
  var unreadiness: String { "\(rawValue) is reached; ticks are refused" }
}

/// How often each was reached, and when that was logged.
struct LimitCounters {
  private var counts = [Int64](repeating: 0, count: Limit.allCases.count)
  private var logLimits = [LogLimit](repeating: LogLimit(), count: Limit.allCases.count)

  mutating func count(_ limit: Limit) { counts[limit.index] &+= 1 }

  /// - Returns: nil if no line is to be written, else how many were left out before it.
  mutating func pass(_ limit: Limit, at monotonic: Int64) -> Int? { logLimits[limit.index].pass(at: monotonic) }

  subscript(limit: Limit) -> Int64 { counts[limit.index] }
}

extension Limit {
  fileprivate var index: Int { Self.allCases.firstIndex(of: self).unsafelyUnwrapped }
}
