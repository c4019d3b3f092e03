import CandleCore
import CandleEngine
import CandleTestSupport
import CandleWire

/// A hub with readers whose sockets one fills, and with a store that one lets answer.
///
/// Symbols are numbered by their place in `symbols`; each candle of a series is named by its number.
final class HubLife {
  static let timeframes: [Timeframe] = [.M1, .M5]
  static let epoch = "7f3c"

  let hub: Hub
  var symbols: [String] = ["A", "B", "C"]
  /// What the hub wants done and was not answered yet.
  var waiting: [HubEffect] = []
  /// Readers that were told to go.
  var closed: [ReaderID: (code: UInt16, reason: String)] = [:]
  /// Limits that readers ran into: `1 topics 3/2` where reader 1 wanted three of two topics.
  var reached: [String] = []
  /// The database: all that was committed, in version order.
  var log: [ReplayedChange] = []
  private var rest: [ReaderID: [UInt8]] = [:]

  init(maxBacklog: Int = 4 << 20, topics: Int = 1_000, version: Int64 = 0, keys: IndicatorKeys = .none) {
    hub = Hub(
      HubConfiguration(
        timeframes: Self.timeframes, maxBacklog: maxBacklog, topicsPerConnection: topics, maximumSnapshot: 1_000,
        epoch: Self.epoch), keys: keys, version: version)
  }

  // MARK: Readers

  func say(_ id: ReaderID, _ text: String) {
    var copy = text
    copy.withUTF8 { hub.received(UnsafeRawBufferPointer($0), from: id, time: 42) }
    collect()
  }

  /// Connects if need be, subscribes, and answers all that is asked.
  func subscribe(_ id: ReaderID, _ topics: [String], _ more: String = "") {
    if hub.readerCount == 0 || !known.contains(id) { connect(id) }
    say(id, request(topics, more))
    answerAll()
  }

  func request(_ topics: [String], _ more: String = "") -> String {
    "{\"op\":\"subscribe\",\"topics\":[" + topics.map { "\"\($0)\"" }.joined(separator: ",") + "]\(more)}"
  }

  private var known: Set<ReaderID> = []
  func connect(_ id: ReaderID) {
    known.insert(id)
    hub.connect(id)
  }

  /// The whole messages that came out of a reader's socket, which takes `size` bytes at a time.
  func messages(_ id: ReaderID, size: Int = 1 << 20, rounds: Int = .max) -> [JSONValue] {
    var bytes = rest[id] ?? []
    var buffer = [UInt8](repeating: 0, count: size)
    var round = 0
    while round < rounds {
      let used = buffer.withUnsafeMutableBytes { hub.fill(id, into: $0) }
      if used == 0 { break }
      bytes += buffer.prefix(used)
      round += 1
    }
    collect()
    var found: [JSONValue] = []
    var at = 0
    while at + 2 <= bytes.count {
      precondition(bytes[at] == 0x81, "no text frame")
      var length = Int(bytes[at + 1])
      var header = 2
      if length == 126 {
        guard at + 4 <= bytes.count else { break }
        length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
        header = 4
      } else if length == 127 {
        guard at + 10 <= bytes.count else { break }
        length = bytes[at + 2..<at + 10].reduce(0) { $0 << 8 | Int($1) }
        header = 10
      }
      guard at + header + length <= bytes.count else { break }
      let text = String(decoding: bytes[at + header..<at + header + length], as: UTF8.self)
      guard let value = JSONValue(parsing: text) else { preconditionFailure("no JSON: \(text)") }
      found.append(value)
      at += header + length
    }
    rest[id] = Array(bytes.dropFirst(at))
    return found
  }

  /// The same as short lines: `closed candle.M1.A 7 r1 v12`, `gap A v3`, `error bad_topic`, `snapshot candle.M1.A 5 6 7f`.
  func lines(_ id: ReaderID, size: Int = 1 << 20) -> [String] { messages(id, size: size).map(Self.line) }

  static func line(_ message: JSONValue) -> String {
    let type = message["type"]!.string!
    func number(_ candle: JSONValue) -> String {
      let timeframe = Timeframe(candle["timeframe"]!.string!)!
      let number = (candle["open_time"]!.integer! - timeframe.openTime(of: DayTime.midnight)) / timeframe.interval
      return "\(number)" + (candle["state"]?.string == "forming" ? "f" : "")
    }
    switch type {
    case "forming", "closed", "corrected":
      let candle = message["candle"]!
      var line = "\(type) \(message["topic"]!.string!) \(number(candle))"
      if let revision = candle["revision"]?.integer, revision > 0 { line += " r\(revision)" }
      if let version = candle["version"]?.integer { line += " v\(version)" }
      return line
    case "snapshot":
      return (["snapshot", message["topic"]!.string!] + message["candles"]!.array!.map(number)).joined(separator: " ")
    case "gap": return "gap \(message["symbol"]!.string!) v\(message["version"]!.integer!)"
    case "error": return "error \(message["code"]!.string!)"
    case "subscribed", "unsubscribed": return type
    default: return type
    }
  }

  // MARK: What is published

  static func candle(_ number: Int, _ timeframe: Timeframe, revision: Int32 = 0, version: Int64?, late: Bool = false)
    -> Candle
  {
    Candle(
      openTime: timeframe.openTime(of: DayTime.midnight) + Int64(number) * timeframe.interval,
      content: .flat(at: Fixed(coefficient: Int64(number) * 100 + Int64(revision), scale: 0)), origin: .ticks,
      complete: true,
      settlement: version.map { Settlement(revision: revision, settledBy: .tick, version: $0, bornLate: late) })
  }

  /// A settled candle is committed, and not published yet.
  func commit(_ symbol: String, _ timeframe: Timeframe, _ number: Int, revision: Int32 = 0, late: Bool = false) {
    let version = Int64(log.count + 1)
    log.append(
      .candle(
        symbol: symbol, timeframe: timeframe,
        Self.candle(number, timeframe, revision: revision, version: version, late: late), values: nil))
  }

  func commitGap(_ symbol: String, from: Milliseconds = 0, to: Milliseconds? = nil) {
    log.append(
      .gap(
        symbol: symbol,
        Gap(
          symbol: Int32(symbols.firstIndex(of: symbol)!), from: from, to: to, reason: .disconnect,
          version: Int64(log.count + 1))))
  }

  /// All that is committed up to a version is published.
  func publish(upTo version: Int64? = nil) {
    while hub.publishedVersion < version ?? Int64(log.count) {
      switch log[Int(hub.publishedVersion)] {
      case .candle(let symbol, let timeframe, let candle, _):
        let kind: CandleUpdate.Kind =
          candle.settlement!.revision == 0 && !candle.settlement!.bornLate ? .closed : .corrected
        hub.publish(
          CandleUpdate(series: key(symbol, timeframe), kind: kind, candle: candle), symbol: symbol,
          position: Self.timeframes.firstIndex(of: timeframe)!, values: nil)
      case .gap(let symbol, let gap): hub.publish(gap, symbol: symbol)
      }
      collect()
    }
  }

  func close(_ symbol: String, _ timeframe: Timeframe, _ number: Int, revision: Int32 = 0, late: Bool = false) {
    commit(symbol, timeframe, number, revision: revision, late: late)
    publish()
  }

  /// All that is committed up to now is published as filled from a history source.
  func publishFilled() {
    while hub.publishedVersion < Int64(log.count) {
      guard case .candle(let symbol, let timeframe, let candle, _) = log[Int(hub.publishedVersion)] else { return }
      hub.publishFilled(
        CandleUpdate(series: key(symbol, timeframe), kind: .corrected, candle: candle), symbol: symbol,
        position: Self.timeframes.firstIndex(of: timeframe)!)
    }
    hub.finishFilled()
    collect()
  }

  func forming(_ symbol: String, _ timeframe: Timeframe, _ number: Int) {
    newest[key(symbol, timeframe)] = number
    hub.publishForming(
      Self.candle(number, timeframe, version: nil), series: key(symbol, timeframe), symbol: symbol,
      position: Self.timeframes.firstIndex(of: timeframe)!, values: nil)
    collect()
  }

  private func key(_ symbol: String, _ timeframe: Timeframe) -> SeriesKey {
    SeriesKey(symbol: Int32(symbols.firstIndex(of: symbol)!), timeframe: timeframe)
  }

  /// The forming candle that was published last, by series.
  private var newest: [SeriesKey: Int] = [:]

  // MARK: The store

  func collect() {
    hub.takeEffects { effect in
      switch effect {
      case .wantsWrite, .wentLive: break
      case .refreshSeries(let symbol, let position):
        let timeframe = Self.timeframes[position]
        if let number = newest[SeriesKey(symbol: symbol, timeframe: timeframe)] {
          forming(symbols[Int(symbol)], timeframe, number)
        }
      case .close(let id, let code, let reason): closed[id] = (code, reason)
      case .limitReached(let id, let limit, let value, let bound): reached.append("\(id) \(limit) \(value)/\(bound)")
      default: waiting.append(effect)
      }
    }
  }

  func answerAll() {
    while !waiting.isEmpty { answer(waiting.removeFirst()) }
  }

  /// Answers with what is committed now.
  /// - Parameter most: rows of one read, if fewer than asked for.
  func answer(_ effect: HubEffect, most: Int = .max, forming: ((String, Timeframe) -> Candle?)? = nil) {
    let committed = Int64(log.count)
    switch effect {
    case .warm(let id, _): hub.warmed(id)
    case .readSnapshot(let id, let topics, let count):
      var snapshots: [SeriesSnapshot] = []
      for symbol in symbols {
        for timeframe in Self.timeframes where topics.contains(where: { $0.matches(timeframe, symbol) }) {
          let candles = latest().compactMap { change -> Candle? in
            if case .candle(symbol, timeframe, let candle, _) = change { candle } else { nil }
          }
          let ordered = candles.sorted { $0.openTime < $1.openTime }.suffix(count)
          snapshots.append(
            SeriesSnapshot(symbol: symbol, timeframe: timeframe, candles: ordered.map { ($0, nil) }))
        }
      }
      hub.snapshotRead(id, snapshots, version: committed) { symbol, timeframe in
        forming?(symbol, timeframe).map { ($0, nil) }
      }
    case .readChanges(let id, let topics, let after, let end, let limit):
      let rows = latest().filter { change in
        guard version(change) > after, version(change) <= end else { return false }
        return switch change {
        case .candle(let symbol, let timeframe, _, _): topics.contains { $0.matches(timeframe, symbol) }
        case .gap(let symbol, _): topics.contains { $0.symbol == nil || $0.symbol == symbol }
        }
      }
      let taken = Array(rows.prefix(min(limit, most)))
      hub.changesRead(id, taken, version: taken.count < rows.count ? version(taken.last!) : min(committed, end))
    case .wantsWrite, .close, .wentLive, .refreshSeries, .limitReached: break
    }
    collect()
  }

  private func version(_ change: ReplayedChange) -> Int64 {
    switch change {
    case .candle(_, _, let candle, _): candle.settlement!.version
    case .gap(_, let gap): gap.version
    }
  }

  /// Each candle and gap in its latest state, in version order.
  private func latest() -> [ReplayedChange] {
    var last: [String: Int] = [:]
    for (index, change) in log.enumerated() { last[Self.name(change)] = index }
    return last.values.sorted().map { log[$0] }
  }

  static func name(_ change: ReplayedChange) -> String {
    switch change {
    case .candle(let symbol, let timeframe, let candle, _): "\(symbol) \(timeframe) \(candle.openTime)"
    case .gap(let symbol, let gap): "gap \(symbol) \(gap.from)"
    }
  }
}
