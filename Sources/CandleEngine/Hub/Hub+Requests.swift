import CandleCore
import CandleFeeds
import CandleWire

extension Hub {
  /// A message of a reader.
  public func received(_ message: UnsafeRawBufferPointer, from id: ReaderID, time: Milliseconds?) {
    guard let reader = readers[id], reader.state != .closing else { return }
    if let kind = reader.form?.format.kind, kind == .binance || kind == .binanceCombined {
      return receivedBinance(message, from: reader)
    }
    let parsed = StreamRequest.parse(
      message, timeframes: configuration.timeframes, maximumSnapshot: configuration.maximumSnapshot,
      isSymbol: SymbolName.isValid)
    switch parsed {
    case .failure(let refusal):
      if let excess = refusal.excess {
        counters.snapshotLimits += 1
        effects.append(
          .limitReached(id, .snapshot, value: excess, bound: configuration.maximumSnapshot))
      }
      refuse(reader, refusal)
    case .success(let request):
      switch request.operation {
      case .ping:
        send(encoder.pong(id: request.id, time: time), to: reader)
      case .unsubscribe(let topics):
        for topic in topics { unsubscribe(reader, topic) }
        send(encoder.unsubscribed(id: request.id, topics: topics), to: reader)
      case .subscribe(let topics, let start):
        subscribe(reader, topics, start, id: request.id)
      }
    }
  }

  private func refuse(_ reader: Reader, _ refusal: StreamRequest.Refusal) {
    counters.badRequests += 1
    send(encoder.error(id: refusal.id, code: refusal.code, message: refusal.message), to: reader)
  }

  /// Whether a reader would have more topics than it may; that is counted and told then.
  func hasTooManyTopics(_ reader: Reader, adding count: Int) -> Bool {
    let wanted = reader.subscriptions.count + count
    guard wanted > configuration.topicsPerConnection else { return false }
    counters.topicLimits += 1
    effects.append(
      .limitReached(reader.id, .topics, value: Int64(wanted), bound: configuration.topicsPerConnection))
    return true
  }

  func unsubscribe(_ reader: Reader, _ topic: Topic) {
    guard let at = reader.subscriptions.firstIndex(where: { $0.topic == topic }) else { return }
    reader.subscriptions.remove(at: at)
    remove(reader, topic)
  }

  private func subscribe(_ reader: Reader, _ topics: [Topic], _ start: StreamRequest.Start, id: JSONValue?) {
    let added = topics.filter { topic in !reader.subscriptions.contains { $0.topic == topic } }
    if hasTooManyTopics(reader, adding: added.count) {
      return refuse(
        reader,
        StreamRequest.Refusal(
          id: id, code: "too_many_topics",
          message: "a connection has at most \(configuration.topicsPerConnection) topics"))
    }
    if self.start(start, of: reader) != .now, reader.state != .live {
      return refuse(
        reader,
        StreamRequest.Refusal(
          id: id, code: "busy", message: "an earlier snapshot or replay of this connection is not finished"))
    }
    if case .since(let epoch, let version) = start {
      if epoch != configuration.epoch {
        return refuse(
          reader,
          StreamRequest.Refusal(
            id: id, code: "unknown_epoch", message: "the epoch of this database is \(configuration.epoch)"))
      }
      if version > publishedVersion {
        return refuse(
          reader,
          StreamRequest.Refusal(
            id: id, code: "bad_request", message: "version \(version) is not reached yet: \(publishedVersion)"))
      }
    }
    var dropped: Int64?
    if case .since(_, let version) = start, version < droppedVersion { dropped = droppedVersion }
    send(
      encoder.subscribed(
        id: id, topics: topics, epoch: configuration.epoch, version: publishedVersion,
        convention: configuration.convention, droppedVersion: dropped), to: reader)
    begin(reader, topics, start)
  }

  func begin(_ reader: Reader, _ topics: [Topic], _ wanted: StreamRequest.Start) {
    let start = start(wanted, of: reader)
    let isLive = reader.state == .live
    if isLive {
      // What was published so far went out on the topics that the reader has already.
      for at in reader.subscriptions.indices {
        reader.subscriptions[at].after = max(reader.subscriptions[at].after, publishedVersion)
      }
    }
    let after: Int64 =
      switch start {
      case .now: publishedVersion
      case .snapshot: .max
      case .since(_, let version): version
      }
    for topic in topics {
      if let at = reader.subscriptions.firstIndex(where: { $0.topic == topic }) {
        reader.subscriptions[at].after = after
      } else {
        reader.subscriptions.append(Subscription(topic: topic, after: after))
        insert(reader, topic)
      }
    }
    reader.updateLatestAfter()
    reader.warmsPending += 1
    effects.append(.warm(reader.id, topics: topics))
    if isLive {
      reader.state = .warming(topics: topics, start: start)
    } else if case .catchingUp(_, true) = reader.state {
      reader.joinedWhileReading = true
    }
  }

  /// The indicators of all series of a subscription are warm.
  public func warmed(_ id: ReaderID) {
    guard let reader = readers[id], reader.warmsPending > 0 else { return }
    reader.warmsPending -= 1
    guard reader.warmsPending == 0 else { return }
    guard case .warming(let topics, let start) = reader.state else { return continueCatchUp(reader) }
    switch start {
    case .now, .since:
      reader.state = .catchingUp(cursor: reader.subscriptions.map(\.after).min() ?? 0, reading: false)
      continueCatchUp(reader)
    case .snapshot(let count):
      reader.state = .snapshotting
      reader.snapshot = (topics, count)
      effects.append(.readSnapshot(reader.id, topics: topics, count: count))
    }
  }
}
