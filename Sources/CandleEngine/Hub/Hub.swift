import CandleCore
import CandleFeeds
import CandleWire

/// Topics and their readers: takes publications, encodes each once, and keeps for every reader what it has not sent.
///
/// Closed and corrected messages are never dropped: a reader whose backlog grows too large is cut and resumes with
/// `since`. It delays nobody else.
public final class Hub {
  public private(set) var configuration: HubConfiguration
  /// To be carried out by the caller after each call.
  public internal(set) var effects: ContiguousArray<HubEffect> = []
  public internal(set) var counters = HubCounters()

  var readers: [ReaderID: Reader] = [:]
  var index: ReaderIndex
  var closedIndex: ReaderIndex
  var stamp: UInt64 = 0
  /// Live readers of series in which candles were filled: they go on from the store.
  var filling: [Reader] = []
  /// The largest version that went out to live readers.
  public internal(set) var publishedVersion: Int64
  /// Retention, or a replacement, took away something up to this version: a replay from below it is not whole.
  public var droppedVersion: Int64 = 0
  public private(set) var keys: IndicatorKeys
  private(set) var encoder: StreamEncoder
  /// Forms that readers want beside the protocol's own.
  var formats: [CandleFormat: FormatEncoder] = [:]
  /// Server time, for the formats that tell it.
  public var time: Milliseconds = 0
  /// Name of the series of a symbol as Binance spells it.
  public var seriesName: (String) -> String = { $0 }

  public init(_ configuration: HubConfiguration, keys: IndicatorKeys, version: Int64) {
    self.configuration = configuration
    index = ReaderIndex(timeframes: configuration.timeframes)
    closedIndex = ReaderIndex(timeframes: configuration.timeframes)
    publishedVersion = version
    self.keys = keys
    encoder = StreamEncoder(keys: keys)
  }

  /// What may change while the hub runs.
  public func change(maxBacklog: Int, topicsPerConnection: Int) {
    configuration.maxBacklog = maxBacklog
    configuration.topicsPerConnection = topicsPerConnection
  }

  /// Other indicators are computed from now on: who reads a series is told to load it anew.
  /// - Parameter series: all that there are.
  public func change(keys: IndicatorKeys, convention: String, series: [(symbol: String, timeframe: Timeframe)]) {
    self.keys = keys
    configuration.convention = convention
    encoder = StreamEncoder(keys: keys)
    for form in formats.values { form.change(keys: keys) }
    for reader in readers.values where reader.form == nil && reader.state != .closing {
      for one in series {
        for kind in Topic.Kind.allCases where reader.wants(kind, one.timeframe, one.symbol, version: .max) {
          let frame = encoder.reload(
            kind, symbol: one.symbol, timeframe: one.timeframe, from: 0, version: publishedVersion)
          sendStored(frame, to: reader)
        }
      }
    }
  }

  // MARK: Connections

  public func connect(_ id: ReaderID) { readers[id] = Reader(id: id) }

  public func disconnect(_ id: ReaderID) {
    guard let reader = readers.removeValue(forKey: id) else { return }
    unsubscribeAll(reader)
    if let form = reader.form { release(form) }
  }

  public var readerCount: Int { readers.count }

  /// Bytes that wait, over all readers.
  public var backlog: Int { readers.values.reduce(0) { $0 + $1.queue.bytes } }

  /// Calls `body` with the bytes that wait for each reader.
  public func forEachBacklog(_ body: (Int) -> Void) {
    for reader in readers.values { body(reader.queue.bytes) }
  }

  /// Takes what the hub wants done.
  public func takeEffects(_ body: (HubEffect) -> Void) {
    while !effects.isEmpty {
      let taken = effects
      effects.removeAll(keepingCapacity: true)
      for effect in taken { body(effect) }
    }
  }

  /// Hands out bytes for a reader whose socket takes some.
  /// - Returns: the number of bytes used; 0 when nothing waits.
  public func fill(_ id: ReaderID, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let reader = readers[id] else { return 0 }
    let used = reader.queue.fill(buffer)
    if reader.queue.isEmpty { reader.queued = false }
    let count = configuration.timeframes.count
    reader.queue.takeOwed { effects.append(.refreshSeries(symbol: Int32($0 / count), position: $0 % count)) }
    continueCatchUp(reader)
    return used
  }

  // MARK: Interest

  /// Bit per timeframe of a symbol whose forming candles somebody reads.
  public func formingInterest(in symbol: String) -> UInt32 { index.interest(in: symbol) }

  /// The same without those whose readers all still have one to be replaced: the newest is made when that has its turn,
  /// since a forming candle costs more than the tick behind it.
  /// - Parameter name: of the symbol; asked for only where topics came or went.
  public func formingInterest(of symbol: Int32, name: () -> String) -> UInt32 {
    if index.count == 0 { return 0 }
    var mask: UInt32 = 0
    let count = configuration.timeframes.count
    for position in 0..<count where wantsForming(Int(symbol) &* count &+ position, position, name) {
      mask |= 1 &<< UInt32(truncatingIfNeeded: position)
    }
    return mask
  }

  private func wantsForming(_ series: Int, _ position: Int, _ name: () -> String) -> Bool {
    guard let readers = index.few(series, position, symbol: name) else { return true }
    if readers.isEmpty { return false }
    var some = false
    for reader in readers where reader.isLive {
      some = true
      if reader.queue.bytes <= Self.conflationThreshold || !reader.queue.isWaiting(series: series) { return true }
    }
    guard some else { return true }
    for reader in readers where reader.isLive { _ = reader.queue.outdate(series: series) }
    counters.conflated &+= 1
    return false
  }

  /// Whether somebody has a topic of a series.
  public func isRead(_ symbol: String, _ timeframe: Timeframe) -> Bool {
    guard let position = configuration.timeframes.firstIndex(of: timeframe) else { return false }
    var isRead = false
    for index in [index, closedIndex] where index.count > 0 { index.forEach(symbol, position) { _ in isRead = true } }
    return isRead
  }

  func insert(_ reader: Reader, _ topic: Topic) {
    if topic.kind == .candle { index.insert(reader, topic) } else { closedIndex.insert(reader, topic) }
  }

  func remove(_ reader: Reader, _ topic: Topic) {
    if topic.kind == .candle { index.remove(reader, topic) } else { closedIndex.remove(reader, topic) }
  }

  func unsubscribeAll(_ reader: Reader) {
    for subscription in reader.subscriptions { remove(reader, subscription.topic) }
    reader.subscriptions = []
  }

  // MARK: Sending

  /// An answer, or a message of a topic.
  func send(_ frame: Frame, to reader: Reader) {
    reader.queue.append(frame)
    wantWrite(reader)
    if reader.queue.backlog > configuration.maxBacklog { dropSlow(reader) }
  }

  /// Part of a snapshot or replay, which the reader takes at its own pace.
  func sendStored(_ frame: Frame, to reader: Reader) {
    reader.queue.append(frame, counts: false)
    wantWrite(reader)
  }

  func wantWrite(_ reader: Reader) {
    guard !reader.queued else { return }
    reader.queued = true
    effects.append(.wantsWrite(reader.id))
  }

  /// Cuts a reader that is too slow: nothing more is sent but the rest of a frame that was handed out in part.
  func dropSlow(_ reader: Reader) {
    guard reader.state != .closing else { return }
    counters.slowConsumers += 1
    effects.append(
      .limitReached(reader.id, .backlog, value: Int64(reader.queue.backlog), bound: configuration.maxBacklog))
    unsubscribeAll(reader)
    reader.queue.dropAll()
    reader.state = .closing
    effects.append(.close(reader.id, code: 1013, reason: "slow consumer"))
  }
}

/// What the hub did since the start.
public struct HubCounters: Sendable, Equatable {
  public var messages: Int64 = 0
  public var encoded: Int64 = 0
  public var conflated: Int64 = 0
  public var slowConsumers: Int64 = 0
  public var badRequests: Int64 = 0
  /// Requests that were refused because a connection would have had too many topics.
  public var topicLimits: Int64 = 0
  /// Requests that were refused because they asked for too many candles.
  public var snapshotLimits: Int64 = 0

  public init() {}
}
