import CandleCore
import CandleWire

extension Hub {
  /// A forming message may be replaced by a newer one when this much waits before it, in bytes; below, a reader that
  /// keeps up sees each.
  static let conflationThreshold = 64 << 10

  /// A settled candle was committed; in version order.
  public func publish(
    _ update: CandleUpdate, symbol: String, position: Int, values: UnsafeBufferPointer<Double>?
  ) {
    let version = update.candle.settlement?.version ?? 0
    publishedVersion = max(publishedVersion, version)
    let type: StreamEncoder.MessageType = update.kind == .closed ? .closed : .corrected
    deliver(
      .candle, in: index, type: type, update.candle, series: update.series, symbol: symbol, position: position,
      version: version, values: values)
    deliver(
      .closed, in: closedIndex, type: type, update.candle, series: update.series, symbol: symbol, position: position,
      version: version, values: values)
  }

  private func deliver(
    _ kind: Topic.Kind, in index: ReaderIndex, type: StreamEncoder.MessageType, _ candle: Candle, series: SeriesKey,
    symbol: String, position: Int, version: Int64, values: UnsafeBufferPointer<Double>?
  ) {
    if index.count == 0 { return }
    stamp &+= 1
    let stamp = stamp
    var frame: Frame?
    var slow: [Reader] = []
    let message = CandleMessage(
      type: type, kind: kind, candle: candle, symbol: symbol, timeframe: series.timeframe, values: values, time: time)
    index.forEach(symbol, position) { reader in
      guard reader.stamp != stamp else { return }
      reader.stamp = stamp
      guard reader.state == .live,
        reader.latestAfter < version || reader.wants(kind, series.timeframe, symbol, version: version)
      else { return }
      if let form = reader.form {
        guard let own = self.frame(form, message, for: reader, stamp: stamp) else { return }
        if form.format.kind == .rhlineplot {
          reader.queue.appendForming(own, series: number(of: series, position), conflate: true)
        } else {
          reader.queue.appendSettled(own, series: number(of: series, position))
        }
        counters.messages &+= 1
        wantWrite(reader)
        if reader.queue.backlog > configuration.maxBacklog { slow.append(reader) }
        return
      }
      if frame == nil {
        frame = encoder.candle(type, kind, candle, symbol: symbol, timeframe: series.timeframe, values: values)
        counters.encoded &+= 1
      }
      reader.queue.appendSettled(frame!, series: number(of: series, position))
      counters.messages &+= 1
      wantWrite(reader)
      if reader.queue.backlog > configuration.maxBacklog { slow.append(reader) }
    }
    for reader in slow { dropSlow(reader) }
  }

  /// A forming candle changed.
  /// - Parameter lastTick: event time of the symbol's newest tick.
  public func publishForming(
    _ candle: Candle, series: SeriesKey, symbol: String, position: Int, values: UnsafeBufferPointer<Double>?,
    lastTick: Milliseconds? = nil
  ) {
    if index.count == 0 || isOutdatedForAll(symbol, position, number(of: series, position)) { return }
    stamp &+= 1
    let stamp = stamp
    var frame: Frame?
    let message = CandleMessage(
      type: .forming, kind: .candle, candle: candle, symbol: symbol, timeframe: series.timeframe, values: values,
      lastTick: lastTick, time: time)
    index.forEach(symbol, position) { reader in
      guard reader.stamp != stamp else { return }
      reader.stamp = stamp
      guard reader.state == .live else { return }
      if let form = reader.form {
        guard let own = self.frame(form, message, for: reader, stamp: stamp) else { return }
        let replaced = reader.queue.appendForming(
          own, series: number(of: series, position),
          conflate: form.format.kind == .rhlineplot || reader.queue.bytes > Self.conflationThreshold)
        if replaced { counters.conflated &+= 1 } else { counters.messages &+= 1 }
        return wantWrite(reader)
      }
      if frame == nil {
        frame = encoder.candle(.forming, .candle, candle, symbol: symbol, timeframe: series.timeframe, values: values)
        counters.encoded &+= 1
      }
      let replaced = reader.queue.appendForming(
        frame!, series: number(of: series, position), conflate: reader.queue.bytes > Self.conflationThreshold)
      if replaced { counters.conflated &+= 1 } else { counters.messages &+= 1 }
      wantWrite(reader)
    }
  }

  /// Where each reader of a series still has one of its forming messages to be replaced, the newest is made when one of
  /// them has taken that: a message costs more than the tick behind it.
  private func isOutdatedForAll(_ symbol: String, _ position: Int, _ series: Int) -> Bool {
    var all = true
    var some = false
    index.forEach(symbol, position) { reader in
      guard all, reader.state == .live else { return }
      some = true
      all = reader.queue.bytes > Self.conflationThreshold && reader.queue.isWaiting(series: series)
    }
    guard all, some else { return false }
    index.forEach(symbol, position) { reader in
      if reader.state == .live { _ = reader.queue.outdate(series: series) }
    }
    counters.conflated &+= 1
    return true
  }

  /// A candle was filled from a history source and committed; in version order with what else is published.
  ///
  /// There may be thousands of them: whoever reads the series takes them from the store, at its own pace, as after a
  /// reconnect. `finishFilled()` follows.
  public func publishFilled(_ update: CandleUpdate, symbol: String, position: Int) {
    let before = publishedVersion
    publishedVersion = max(publishedVersion, update.candle.settlement?.version ?? 0)
    for index in [index, closedIndex] where index.count > 0 {
      index.forEach(symbol, position) { reader in
        guard reader.state == .live else { return }
        reader.state = .catchingUp(cursor: before, reading: false)
        filling.append(reader)
      }
    }
  }

  /// After a run of filled candles.
  public func finishFilled() {
    if filling.isEmpty { return }
    let waiting = filling
    filling.removeAll()
    for reader in waiting { continueCatchUp(reader) }
  }

  private func number(of series: SeriesKey, _ position: Int) -> Int {
    Int(series.symbol) * configuration.timeframes.count + position
  }

  /// A gap began or ended.
  public func publish(_ gap: Gap, symbol: String) {
    publishedVersion = max(publishedVersion, gap.version)
    var frame: Frame?
    for reader in readers.values
    where reader.state == .live && reader.form == nil && reader.wantsGap(symbol, version: gap.version) {
      if frame == nil { frame = encoder.gap(gap, symbol: symbol) }
      send(frame!, to: reader)
    }
  }
}
