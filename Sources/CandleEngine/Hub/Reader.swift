import CandleCore
import CandleWire

/// Number of a reader's connection; never used twice in a process.
public typealias ReaderID = UInt64

/// A topic that a reader has, and from where.
struct Subscription {
  var topic: Topic
  /// Settled candles up to this version are not its concern: sent before, or part of its snapshot.
  var after: Int64
}

/// One connection of a subscriber.
final class Reader {
  enum State: Equatable {
    /// Gets messages as they are published.
    case live
    /// The indicators of its series are being warmed; all messages wait.
    case warming(topics: [Topic], start: StreamRequest.Start)
    /// A snapshot is being read; closed and corrected messages wait.
    case snapshotting
    /// Is being brought up to date from the store, up to and including `cursor`.
    case catchingUp(cursor: Int64, reading: Bool)
    /// Was told to go; gets nothing more.
    case closing
  }

  let id: ReaderID
  var state = State.live
  var queue = ReaderQueue()
  var subscriptions: [Subscription] = []
  /// The largest `after` of the subscriptions.
  var latestAfter: Int64 = 0
  /// Number of the last message it got, so that one that matches twice comes once.
  var stamp: UInt64 = 0
  /// In the hub's list of readers with something to send.
  var queued = false
  /// Topics were added while changes were read for the others.
  var joinedWhileReading = false
  /// Subscriptions whose indicators are being warmed.
  var warmsPending = 0
  /// Forming messages passed it by while it was brought up to date.
  var missedForming = false
  /// Series in which candles were filled: the first of them, by topic.
  var reloads: [(kind: Topic.Kind, symbol: String, timeframe: Timeframe, from: Milliseconds)] = []
  /// The form that it wants candles in; nil for the protocol's own.
  var form: FormatEncoder?
  /// Whether it wants corrections that its form otherwise leaves out.
  var corrections = false
  /// Open time of the newest candle it was sent, by series; only charts.
  var newest: [SeriesName: Milliseconds] = [:]
  /// Open times of older candles that a chart was not sent, by series.
  var missing: [SeriesName: Set<Milliseconds>] = [:]
  /// Lines that a replay has changed.
  var staleLines: Set<SeriesName> = []
  /// What is to be read for a snapshot.
  var snapshot: (topics: [Topic], count: Int)?

  init(id: ReaderID) { self.id = id }

  var isLive: Bool { if case .live = state { true } else { false } }

  func updateLatestAfter() { latestAfter = subscriptions.map(\.after).max() ?? 0 }

  /// A candle of a topic was filled.
  func noteReload(_ kind: Topic.Kind, _ symbol: String, _ timeframe: Timeframe, from openTime: Milliseconds) {
    let index = reloads.firstIndex { $0.kind == kind && $0.timeframe == timeframe && $0.symbol == symbol }
    if let index {
      reloads[index].from = min(reloads[index].from, openTime)
    } else {
      reloads.append((kind, symbol, timeframe, openTime))
    }
  }

  /// Whether it wants a settled candle or a gap of a version on a topic of this kind.
  func wants(_ kind: Topic.Kind, _ timeframe: Timeframe, _ symbol: String, version: Int64) -> Bool {
    subscriptions.contains { $0.topic.kind == kind && $0.after < version && $0.topic.matches(timeframe, symbol) }
  }

  func wantsGap(_ symbol: String, version: Int64) -> Bool {
    subscriptions.contains { $0.after < version && ($0.topic.symbol == nil || $0.topic.symbol == symbol) }
  }
}
