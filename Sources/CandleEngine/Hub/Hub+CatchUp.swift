import CandleCore
import CandleWire

/// The seam between what is stored and what is published: no hole, no double.
///
/// While a reader is brought up to date nothing live is queued for it. Each read says up to which version it is whole;
/// when that has reached the last published one, both on this thread, the reader goes live.
extension Hub {
  /// Rows of one read of a replay.
  static let replayLimit = 500
  /// A replay goes on when less than this waits for the reader, in bytes: it is paced by the reader.
  static let replayLowWater = 64 << 10

  /// The store answered `readSnapshot`.
  /// - Parameters:
  ///   - version: everything up to it is in the snapshot.
  ///   - forming: the forming candle of a series, with its values; asked only when all that was published is in it.
  public func snapshotRead(
    _ id: ReaderID, _ series: [SeriesSnapshot], version: Int64,
    forming: (String, Timeframe) -> (candle: Candle, values: [Double]?)?
  ) {
    guard let reader = readers[id], reader.state == .snapshotting, let snapshot = reader.snapshot else { return }
    reader.snapshot = nil
    let whole = version >= publishedVersion
    if !whole { reader.missedForming = true }
    for one in series {
      for kind in Topic.Kind.allCases
      where snapshot.topics.contains(where: { $0.kind == kind && $0.matches(one.timeframe, one.symbol) }) {
        var candles = one.candles
        // What forms now comes last, unless a close that the reader does not have yet lies between.
        if kind == .candle, whole, let last = forming(one.symbol, one.timeframe) {
          // What the end of a replay had cut is stored, and forms again.
          if candles.last?.candle.openTime == last.candle.openTime { candles.removeLast() }
          if candles.last.map({ $0.candle.openTime < last.candle.openTime }) ?? true { candles.append(last) }
        }
        if reader.form != nil {
          sendSnapshot(candles, of: SeriesName(one.symbol, one.timeframe), to: reader)
        } else {
          sendStored(encoder.snapshot(kind, symbol: one.symbol, timeframe: one.timeframe, candles: candles), to: reader)
        }
      }
    }
    for at in reader.subscriptions.indices where snapshot.topics.contains(reader.subscriptions[at].topic) {
      reader.subscriptions[at].after = version
    }
    reader.updateLatestAfter()
    // Topics that the reader had before waited meanwhile; they go on where they stopped.
    let cursor = reader.subscriptions.map(\.after).min() ?? version
    reader.state = .catchingUp(cursor: cursor, reading: false)
    continueCatchUp(reader)
  }

  /// The store answered `readChanges`.
  /// - Parameters:
  ///   - version: everything up to it is in the rows, or below the cursor.
  public func changesRead(_ id: ReaderID, _ changes: [ReplayedChange], version: Int64) {
    guard let reader = readers[id], case .catchingUp(let cursor, true) = reader.state else { return }
    if reader.joinedWhileReading {
      // The read did not ask for the topics that joined; nothing of it was sent yet.
      reader.joinedWhileReading = false
      reader.state = .catchingUp(cursor: cursor, reading: false)
      return continueCatchUp(reader)
    }
    for change in changes { replay(change, to: reader) }
    sendStaleLines(to: reader)
    reader.state = .catchingUp(cursor: max(cursor, version), reading: false)
    continueCatchUp(reader)
  }

  /// The store could not answer; the reader is told to come again.
  public func readFailed(_ id: ReaderID, message: String) {
    guard let reader = readers[id], reader.state != .live, reader.state != .closing else { return }
    send(encoder.error(id: nil, code: "unavailable", message: message), to: reader)
    unsubscribeAll(reader)
    reader.state = .live
  }

  func continueCatchUp(_ reader: Reader) {
    guard case .catchingUp(let cursor, false) = reader.state else { return }
    if cursor >= publishedVersion {
      guard reader.warmsPending == 0 else { return }
      for at in reader.subscriptions.indices {
        reader.subscriptions[at].after = max(reader.subscriptions[at].after, cursor)
      }
      reader.updateLatestAfter()
      for reload in reader.reloads {
        let frame = encoder.reload(
          reload.kind, symbol: reload.symbol, timeframe: reload.timeframe, from: reload.from, version: cursor)
        send(frame, to: reader)
      }
      reader.reloads = []
      // Too many of them cut it.
      guard reader.state != .closing else { return }
      reader.state = .live
      if reader.missedForming {
        reader.missedForming = false
        effects.append(.wentLive(reader.id, topics: reader.subscriptions.map(\.topic)))
      }
      return
    }
    reader.missedForming = true
    guard reader.queue.bytes < Self.replayLowWater else { return }
    reader.state = .catchingUp(cursor: cursor, reading: true)
    effects.append(
      .readChanges(
        reader.id, topics: reader.subscriptions.map(\.topic), after: cursor, upTo: publishedVersion,
        limit: Self.replayLimit))
  }

  private func replay(_ change: ReplayedChange, to reader: Reader) {
    switch change {
    case .gap(let symbol, let gap):
      if reader.form == nil, reader.wantsGap(symbol, version: gap.version) {
        sendStored(encoder.gap(gap, symbol: symbol), to: reader)
      }
    case .candle(let symbol, let timeframe, let candle, let values):
      guard let settlement = candle.settlement else { return }
      let type: StreamEncoder.MessageType =
        settlement.revision == 0 && !settlement.bornLate ? .closed : .corrected
      for kind in Topic.Kind.allCases where reader.wants(kind, timeframe, symbol, version: settlement.version) {
        if let form = reader.form {
          replay(type, kind, candle, of: SeriesName(symbol, timeframe), values, to: reader, as: form)
          continue
        }
        let frame = encoder.candle(type, kind, candle, symbol: symbol, timeframe: timeframe, values: values)
        sendStored(frame, to: reader)
        counters.messages &+= 1
        // With a filled candle the indicators of all later ones changed, and these are not sent anew.
        if type == .corrected, candle.origin == .history || settlement.settledBy == .history, !keys.isEmpty {
          reader.noteReload(kind, symbol, timeframe, from: candle.openTime)
        }
      }
    }
  }
}
