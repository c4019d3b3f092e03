import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet
import CandleWire

extension Daemon {
  static let ingestPath = "/v1/ingest"
  /// All producers are one venue.
  static let producerVenue: UInt32 = 0
  /// Bytes of unread answers at which a producer is not read any more, and at which it is again.
  static let answerLimit = (pause: 256 << 10, resume: 64 << 10)

  /// Who may produce.
  func producerRequested(_ request: UpgradeRequest) -> UpgradeDecision {
    func refuse(_ error: RequestError) -> UpgradeDecision {
      .reject(status: error.status, body: error.body, contentType: "application/json")
    }
    let ingest = settings.ingest
    if let origin = request.origin, !ingest.allowedOrigins.contains(origin) {
      refused(.origin, at: "ingest", request.peer)
      return refuse(RequestError(status: 403, code: "forbidden", message: "the origin \(origin) may not produce"))
    }
    if ingest.tokens.isEmpty {
      guard request.peer.isLoopback else {
        refused(.notLocal, at: "ingest", request.peer)
        return refuse(
          RequestError(
            status: 403, code: "forbidden", message: "without ingest.tokens only this machine may produce"))
      }
    } else if !AccessToken.isGranted(
      ingest.tokens, authorization: request.authorization, parameter: QueryParameters(request.query)["token"])
    {
      refused(.token, at: "ingest", request.peer)
      return refuse(.unauthorized)
    }
    if let symbol = producedSymbol(request.path), !SymbolName.isValid(symbol) {
      return refuse(.badParameter("\(symbol) has not the form of a symbol"))
    }
    return .accept(role: .producer)
  }

  /// The symbol of `/v1/ingest/{symbol}`.
  private func producedSymbol(_ path: String) -> String? {
    path.count > Self.ingestPath.count + 1 ? String(path.dropFirst(Self.ingestPath.count + 1)) : nil
  }

  func producerOpened(_ c: ConnectionID, _ request: UpgradeRequest) {
    var column = TextFormat.SymbolColumn.first
    if let name = producedSymbol(request.path) {
      guard let symbol = engine.intern(name) else {
        tellTooManySymbols(name, from: request.peer.text)
        return loop.close(c, code: 1013, reason: "too many symbols", within: .seconds(1))
      }
      column = .none(symbol)
    }
    let format = TextFormat(
      timestamp: settings.ingest.timestamp, allowsNonpositivePrice: settings.ingest.allowsNonpositivePrice,
      symbolColumn: column)
    producers[c] = Producer(
      c, format: format, acknowledges: QueryParameters(request.query)["ack"] == "1")
  }

  func producerReceived(_ producer: Producer, _ message: UnsafeRawBufferPointer) {
    instant = MachineClock.now()
    producer.frames += 1
    ingestCounters.messages &+= 1
    batch.clear()
    producer.format.parse(message, into: &batch, symbols: &interner) { name in
      let name = String(decoding: name, as: UTF8.self)
      if let number = engine.intern(name) { return .success(number) }
      tellTooManySymbols(name, from: loop.peer(of: producer.connection)?.text ?? "")
      return .failure(.unknownSymbol)
    }
    for index in 0..<batch.ticks.count where batch.ticks[index].symbol != producer.lastSymbol {
      let symbol = batch.ticks[index].symbol
      producer.lastSymbol = symbol
      if producer.symbols.insert(symbol).inserted {
        engine.sourceUp(producer.source, symbols: [symbol], at: instant)
      }
    }
    var errors = 0
    let accepted = ingest(message, venue: Self.producerVenue, name: "ingest", counters: &ingestCounters) {
      refused, text in
      guard producer.acknowledges, errors < IngestEncoder.maximumErrors else { return }
      errors += 1
      producer.answers.append(
        ingestEncoder.refusal(frame: producer.frames, line: refused.line, code: refused.reason.name, message: text))
    }
    guard producer.acknowledges else { return }
    producer.answers.append(
      ingestEncoder.acknowledgement(
        frame: producer.frames, accepted: accepted, refused: batch.refused.count + engine.refusals.count))
    if producer.answers.count > 0 { answeringProducers.append(producer) }
  }

  func number(of name: UnsafeRawBufferPointer, in feed: Feed) -> Result<Int32, RefusalReason> {
    if let number = interner.number(of: name) { return .success(number) }
    let text = String(decoding: name, as: UTF8.self)
    guard let number = engine.intern(text) else {
      tellTooManySymbols(text, from: feed.specification.name, as: "feed")
      return .failure(.unknownSymbol)
    }
    interner.insert(name, number: number)
    return .success(number)
  }

  /// The ticks of this turn are safe: their producers may know.
  func sendAnswers() {
    guard !answeringProducers.isEmpty else { return }
    for producer in answeringProducers where !producer.answers.isEmpty {
      for frame in producer.answers { producer.queue.append(frame) }
      producer.answers.removeAll(keepingCapacity: true)
      loop.wantWrite(producer.connection)
      if producer.queue.bytes > Self.answerLimit.pause, !producer.isPaused {
        producer.isPaused = true
        loop.pauseReading(producer.connection)
      }
    }
    answeringProducers.removeAll(keepingCapacity: true)
  }

  func producerWritable(_ producer: Producer, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    let used = producer.queue.fill(buffer)
    if producer.isPaused, producer.queue.bytes < Self.answerLimit.resume {
      producer.isPaused = false
      loop.resumeReading(producer.connection)
    }
    return used
  }

  func producerClosed(_ producer: Producer) {
    instant = MachineClock.now()
    producers[producer.connection] = nil
    if lastProducer === producer { lastProducer = nil }
    // What a stop ends is the gap of the restart.
    guard !isStopping else { return }
    engine.sourceDown(producer.source, reason: .disconnect, at: instant)
  }
}
