import CandleCore
import CandleEngine
import CandleNet
import CandleWire

extension Daemon {
  /// Ready: every configured feed dialled and at least one connected (or none configured), the database writable, the
  /// clock not standing.
  var unreadiness: String? {
    if isStopping { return "stopping" }
    if let storeError { return "database: \(storeError.short)" }
    if let journalError { return "journal: \(journalError.short)" }
    if let spaceLimit { return spaceLimit.unreadiness }
    if engine.clock.isStanding { return "the clock was set back and stands until it is reached" }
    if !feeds.isEmpty {
      if let feed = feeds.first(where: { !$0.wasDialled }) {
        return "feed \(feed.specification.name) is not dialled yet"
      }
      if !feeds.contains(where: { $0.state == .connected }) { return "no feed is connected" }
    }
    return nil
  }

  func readiness(_ r: RequestID) {
    if let reason = unreadiness {
      answer(r, Array("not ready: \(reason)\n".utf8), contentType: "text/plain; charset=utf-8", status: 503)
    } else {
      answer(r, Array("ready\n".utf8), contentType: "text/plain; charset=utf-8")
    }
  }

  func time() -> [UInt8] {
    engine.tick(at: instant)
    let out = ByteWriter(capacity: 128)
    out.write("{\"server_time\":")
    if let now = engine.clock.now { out.write(now) } else { out.write("null") }
    out.write(",\"offset_ms\":")
    out.write(engine.clock.offsetMilliseconds(at: instant))
    out.write("}")
    return out.array
  }

  func symbols() -> [UInt8] {
    let out = ByteWriter()
    out.write("{\"symbols\":[")
    for symbol in 0..<Int32(engine.symbolCount) {
      out.write(symbol > 0 ? ",{\"symbol\":\"" : "{\"symbol\":\"")
      out.write(engine.name(of: symbol))
      out.write(engine.isDormant(symbol) ? "\",\"dormant\":true,\"last_tick\":" : "\",\"dormant\":false,\"last_tick\":")
      if let last = engine.lastTick(symbol) { out.write(last) } else { out.write("null") }
      out.write("}")
    }
    out.write("]}")
    return out.array
  }

  func status() -> [UInt8] {
    let out = ByteWriter()
    out.write(
      "{\"version\":\"\(Version.text)\",\"epoch\":\"\(store.epoch)\",\"last_version\":\(engine.publishedVersion)")
    out.write(",\"uptime_ms\":\((instant.monotonic - started.monotonic) / 1_000_000)")
    out.write(
      ",\"convention\":\"\(settings.convention)\",\"clock\":\"\(settings.engine.clock.rawValue)\",\"server_time\":")
    if let now = engine.clock.now { out.write(now) } else { out.write("null") }
    out.write(",\"ready\":\(unreadiness == nil)")
    out.write(",\"timeframes\":[")
    for (index, timeframe) in engine.timeframes.enumerated() {
      out.write(index > 0 ? ",\"\(timeframe.name)\"" : "\"\(timeframe.name)\"")
    }
    out.write("],\"symbols\":\(engine.symbolCount),\"subscribers\":\(hub.readerCount)")
    out.write(",\"database\":{\"writable\":\(storeError == nil),\"pending_bytes\":\(engine.pendingBytes)")
    out.write(",\"commits\":\(commits.transactions),\"failures\":\(commits.failures)}")
    writeSeamStatus(to: out)
    let journalStatus = journal.status
    out.write(",\"journal\":{\"writable\":\(journalError == nil),\"bytes\":\(journalStatus.bytesOnDisk)")
    out.write(",\"segments\":\(journalStatus.segments),\"last_sequence\":\(journal.lastSequence)")
    out.write(",\"committed_sequence\":\(committedSequence)}")
    let counters = engine.counters
    out.write(",\"counters\":{\"ticks\":\(counters.ticks),\"settled_by_tick\":\(counters.settledByTick)")
    out.write(",\"settled_by_clock\":\(counters.settledByClock),\"flat\":\(counters.flat)")
    out.write(",\"corrections\":\(counters.corrections),\"forming\":\(counters.forming)}")
    out.write(",\"feeds\":[")
    for (index, feed) in feeds.enumerated() {
      if index > 0 { out.write(",") }
      write(feed, to: out)
    }
    out.write("]}")
    return out.array
  }

  private func write(_ feed: Feed, to out: ByteWriter) {
    out.write("{\"name\":")
    out.writeJSON(string: feed.specification.name)
    out.write(",\"url\":")
    out.writeJSON(string: feed.specification.publicURL)
    out.write(",\"state\":\"\(feed.state.name)\",\"symbols\":[")
    for (index, symbol) in feed.symbols.enumerated() {
      if index > 0 { out.write(",") }
      out.writeJSON(string: engine.name(of: symbol))
    }
    out.write("],\"subscribed\":\(feed.subscribed.count)")
    out.write(",\"connects\":\(feed.connects),\"messages\":\(feed.counters.messages)")
    out.write(",\"ignored\":\(feed.counters.ignored)")
    out.write(",\"ticks\":\(feed.counters.accepted),\"refused\":\(feed.counters.refusedTotal),\"skew_ms\":")
    if let skew = feed.skew { out.write(skew) } else { out.write("null") }
    out.write(",\"last_tick\":")
    if let last = feed.symbols.compactMap({ engine.lastTick($0) }).max() { out.write(last) } else { out.write("null") }
    out.write(",\"last_error\":")
    if let error = feed.lastError { out.writeJSON(string: error) } else { out.write("null") }
    out.write("}")
  }
}
