import CandleCore

extension Configuration {
  /// When candles are settled, and what an interval without ticks yields.
  public struct Settlement: Sendable, Equatable {
    /// How long after a boundary the clock waits for a tick.
    public var grace: Milliseconds = 1_000
    /// How long after a candle's end a late tick still corrects it.
    public var correctionWindow: Milliseconds = 60_000
    public var emptyCandles = EmptyCandles.flat
    /// Flat candles in a row, in the shortest timeframe, after which a symbol is dormant; 0 = no limit.
    public var flatLimit = 1_440
    /// How far past the server clock the event time of a tick may be. Means nothing with `clock.source: feed`.
    public var maxAhead: Milliseconds = 5_000

    public init() {}
  }

  /// Whose clock settles candles.
  public struct Clock: Sendable, Equatable {
    public enum Source: String, Sendable, CaseIterable {
      case system
      /// The system clock and an offset measured against `url`.
      case http
      /// The newest event time, for recorded data.
      case feed
    }

    public var source = Source.system
    /// The time endpoint; set exactly when `source` is `http`.
    public var url: String?
    /// Where the endpoint's answer (JSON) holds the time.
    public var field: FieldPath = ["serverTime"]
    /// Time between two measurements.
    public var every: Milliseconds = 300_000

    public init() {}
  }

  /// What subscribers get.
  public struct Stream: Sendable, Equatable {
    /// Least time between two forming messages of a series; 0 = no limit.
    public var formingInterval: Milliseconds = 100
    /// Bytes a reader may lag behind before it is cut off.
    public var maxBacklog = 4 << 20
    /// Subscribers and HTTP clients need one of these; empty = no one needs one.
    public var tokens: [Secret] = []

    public init() {}
  }

  /// What producers may send.
  public struct Ingest: Sendable, Equatable {
    /// Producers need one of these; empty = only loopback peers may produce.
    public var tokens: [Secret] = []
    /// Origins of web pages that may produce.
    public var allowedOrigins: [String] = []
    public var timestamp = TimestampUnit.auto
    public var allowNonpositivePrice = false

    public init() {}
  }

  /// The journal of accepted ticks.
  public struct Journal: Sendable, Equatable {
    /// How long segments stay once they are no longer needed; 0 = not at all.
    public var keep: Milliseconds = 0

    public init() {}
  }

  /// What bounds memory, disk and work.
  public struct Limits: Sendable, Equatable {
    /// Bytes of settled candles that may wait for a failing disk before ticks are refused.
    public var pending = 256 << 20
    /// Bytes of a message from a producer or subscriber.
    public var maxMessage = 1 << 20
    public var connections = 20_000
    public var connectionsPerAddress = 10_000
    public var topicsPerConnection = 1_000
    public var symbols = 100_000
    /// Candles a topic of a `snapshot`.
    public var snapshot = 10_000
    /// Time until a handshake or a request must be complete.
    public var handshakeTime: Milliseconds = 10_000
    /// Bytes of a request's head, line and headers together.
    public var header = 16 << 10
    /// HTTP requests and refused handshakes a second from one address; 0 = no limit.
    public var requestsPerSecond = 1_000
    /// Bytes of the journal on disk beyond which ticks are refused; 0 = no limit.
    public var journal = 16 << 30
    /// Bytes of the database in use beyond which ticks are refused; 0 = no limit.
    public var database = 0

    public init() {}
  }
}
