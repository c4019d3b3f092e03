/// Names one WebSocket connection, server or client side.
///
/// Ids are given out once in the life of a process: an id that outlives its connection names nothing,
/// and every call that takes a stale id is ignored.
public struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
  public let raw: UInt64

  public init(raw: UInt64) { self.raw = raw }

  public var description: String { "c\(raw)" }
}

/// Names one HTTP request that waits for its answer. Never reused in a process.
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
  public let raw: UInt64

  public init(raw: UInt64) { self.raw = raw }

  public var description: String { "r\(raw)" }
}
