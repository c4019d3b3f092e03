import CandleCore
import CandleWire

/// What the hub needs to know of the configuration.
public struct HubConfiguration: Sendable {
  public var timeframes: [Timeframe]
  /// Bytes of closed and corrected messages that may wait for one reader.
  public var maxBacklog: Int
  public var topicsPerConnection: Int
  /// Most candles a topic's snapshot may have.
  public var maximumSnapshot: Int
  /// Name of the database's life; versions mean nothing in another one.
  public var epoch: String
  /// Name of the indicator convention.
  public var convention: String

  public init(
    timeframes: [Timeframe], maxBacklog: Int = 4 << 20, topicsPerConnection: Int = 1_000,
    maximumSnapshot: Int = 10_000, epoch: String, convention: String = "tdx"
  ) {
    self.timeframes = timeframes
    self.maxBacklog = maxBacklog
    self.topicsPerConnection = topicsPerConnection
    self.maximumSnapshot = maximumSnapshot
    self.epoch = epoch
    self.convention = convention
  }
}

/// What the hub asks of the shell around it.
public enum HubEffect: Sendable {
  /// Warm the indicators of all series that the topics match; answer with `Hub.warmed`.
  case warm(ReaderID, topics: [Topic])
  /// Read the last `count` closed candles of each series that the topics match; answer with `Hub.snapshotRead`.
  case readSnapshot(ReaderID, topics: [Topic], count: Int)
  /// Read settled candles and gaps of the topics above one version and up to another, in version order, at most `limit`;
  /// answer with `Hub.changesRead`. What is committed and not published yet is left to the live stream.
  case readChanges(ReaderID, topics: [Topic], after: Int64, upTo: Int64, limit: Int)
  /// A reader went live after a while: publish what forms on its topics.
  case wentLive(ReaderID, topics: [Topic])
  /// The turn of an outdated forming message has come: publish what forms now.
  case refreshSeries(symbol: Int32, position: Int)
  /// Has something to send.
  case wantsWrite(ReaderID)
  /// Close it, after the rest of a frame that was handed out in part; cut it if that takes longer than 5 s.
  case close(ReaderID, code: UInt16, reason: String)
  /// A reader ran into a bound: tell whoever runs the daemon. What it wanted, or had, is `value`.
  case limitReached(ReaderID, HubLimit, value: Int64, bound: Int)
}

/// The bounds of `HubConfiguration` that a reader can run into.
public enum HubLimit: Sendable {
  /// Topics of one connection.
  case topics
  /// Candles of a snapshot.
  case snapshot
  /// Bytes that wait for one reader.
  case backlog
}

/// A settled candle or gap as it was read from the store, with the indicator values of its series.
public enum ReplayedChange: Sendable {
  case candle(symbol: String, timeframe: Timeframe, Candle, values: [Double]?)
  case gap(symbol: String, Gap)

  var version: Int64 {
    switch self {
    case .candle(_, _, let candle, _): candle.settlement?.version ?? 0
    case .gap(_, let gap): gap.version
    }
  }
}

/// The last closed candles of one series, oldest first.
public struct SeriesSnapshot: Sendable {
  public var symbol: String
  public var timeframe: Timeframe
  public var candles: [(candle: Candle, values: [Double]?)]

  public init(symbol: String, timeframe: Timeframe, candles: [(candle: Candle, values: [Double]?)]) {
    self.symbol = symbol
    self.timeframe = timeframe
    self.candles = candles
  }
}
