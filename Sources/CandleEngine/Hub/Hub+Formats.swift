import CandleCore
import CandleWire

/// Readers that want candles in a form of their own.
///
/// A message is made once for each form that somebody wants, and the same bytes go to all who want it. Backlog,
/// conflation and the cutting of slow readers are those of every reader.
extension Hub {
  /// A connection whose candles have a form of their own.
  /// - Parameter corrections: whether a chart also gets corrections of candles that are not its newest, and a Binance
  ///   client any.
  public func connect(_ id: ReaderID, format: CandleFormat, corrections: Bool = false) {
    connect(id)
    guard format.kind != .json, let reader = readers[id] else { return }
    let form = formats[format] ?? FormatEncoder(format, keys: keys)
    form.readers += 1
    formats[format] = form
    reader.form = form
    reader.corrections = corrections
  }

  /// Subscribes a connection to what its address asked for, without an answer.
  public func subscribe(_ id: ReaderID, _ topics: [Topic], start: StreamRequest.Start = .now) {
    guard let reader = readers[id], !topics.isEmpty else { return }
    begin(reader, topics, start)
  }

  func release(_ form: FormatEncoder) {
    form.readers -= 1
    if form.readers == 0 { formats[form.format] = nil }
  }

  /// What a subscription begins with: a line needs its points.
  func start(_ wanted: StreamRequest.Start, of reader: Reader) -> StreamRequest.Start {
    guard let form = reader.form, form.format.kind == .rhlineplot else { return wanted }
    if case .snapshot = wanted { return wanted }
    return .snapshot(form.format.points)
  }

  /// The message of a publication in a reader's form; nil where it gets none.
  func frame(
    _ form: FormatEncoder, _ message: borrowing CandleMessage, for reader: Reader, stamp: UInt64
  ) -> Frame? {
    guard reader.takes(message, as: form.format) else { return nil }
    return form.frame(message, stamp: stamp) { counters.encoded &+= 1 }
  }

  func sendSnapshot(_ candles: [(candle: Candle, values: [Double]?)], of series: SeriesName, to reader: Reader) {
    guard let form = reader.form, form.format.kind != .binance, form.format.kind != .binanceCombined else { return }
    reader.begins(with: candles.last?.candle.openTime, of: series)
    sendStored(form.snapshot(candles, of: series, time: time), to: reader)
  }

  /// A settled candle of a replay.
  func replay(
    _ type: StreamEncoder.MessageType, _ kind: Topic.Kind, _ candle: Candle, of series: SeriesName, _ values: [Double]?,
    to reader: Reader, as form: FormatEncoder
  ) {
    if form.format.kind == .rhlineplot {
      // The whole line is sent once, when the page of the replay is through.
      form.take(candle, of: series)
      reader.staleLines.insert(series)
      return
    }
    func send(_ values: UnsafeBufferPointer<Double>?) {
      let message = CandleMessage(
        type: type, kind: kind, candle: candle, symbol: series.symbol, timeframe: series.timeframe, values: values,
        time: time)
      guard reader.takes(message, as: form.format), let frame = form.frame(message) else { return }
      sendStored(frame, to: reader)
      counters.messages &+= 1
    }
    if let values { values.withUnsafeBufferPointer { send($0) } } else { send(nil) }
  }

  func sendStaleLines(to reader: Reader) {
    guard let form = reader.form, !reader.staleLines.isEmpty else { return }
    for series in reader.staleLines {
      sendStored(form.line(of: series, time: time), to: reader)
      counters.messages &+= 1
    }
    reader.staleLines.removeAll()
  }
}

extension Reader {
  /// Whether a message is for a reader of this format, and notes that it got it.
  ///
  /// A chart throws on a candle older than its newest, so that one comes only with `corrections`; a bot would act twice on
  /// a second close, so that a correction comes only with `corrections`.
  func takes(_ message: borrowing CandleMessage, as format: CandleFormat) -> Bool {
    switch format.kind {
    case .binance, .binanceCombined: return message.type != .corrected || corrections
    case .json, .zxkline, .rhlineplot, .csv: return true
    case .lightweight, .line, .klineview, .klinecharts: break
    }
    let series = SeriesName(message.symbol, message.timeframe)
    let openTime = message.candle.openTime
    guard let newest = newest[series] else {
      // What the chart has already is not known: only what was first published now is surely not older.
      if message.type == .corrected { return takesOlder(message, of: series, as: format) }
      self.newest[series] = openTime
      return true
    }
    if openTime < newest { return takesOlder(message, of: series, as: format) }
    if openTime > newest { self.newest[series] = openTime }
    return true
  }

  /// lightweight-charts changes an older bar, and throws on one that is new between two others: that one, and what
  /// corrects it, the client has with its next history.
  private func takesOlder(_ message: borrowing CandleMessage, of series: SeriesName, as format: CandleFormat) -> Bool {
    guard corrections else { return false }
    guard format.kind == .lightweight || format.kind == .line, let settlement = message.candle.settlement,
      settlement.bornLate
    else { return true }
    if settlement.revision > 0 { return missing[series]?.contains(message.candle.openTime) != true }
    missing[series, default: []].insert(message.candle.openTime)
    return false
  }

  func begins(with openTime: Milliseconds?, of series: SeriesName) {
    if let openTime { newest[series] = openTime }
    missing[series] = nil
  }
}
