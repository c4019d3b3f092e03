import CandleCore
import CandleEngine
import CandleWire

extension Histogram {
  /// Seconds, from 1 ms to a minute.
  static var ofSeconds: Histogram { Histogram(bounds: seconds) }

  /// Seconds on both sides of 0.
  static var ofSkew: Histogram {
    Histogram(bounds: [-60, -10, -5, -2, -1, -0.5, -0.1, -0.05, -0.01, 0, 0.01, 0.05, 0.1, 0.5, 1, 2, 5])
  }
}

extension Daemon {
  /// The answer of `/metrics`; docs/metrics.md says what each means.
  func metrics() -> [UInt8] {
    let out = MetricsWriter()
    out.metric("build_info", .gauge, "Always 1; the label has the version.")
    out.sample("build_info", [("version", Version.text)], Int64(1))
    writeFeedMetrics(to: out)
    writeCandleMetrics(to: out)
    writeSeamMetrics(to: out)
    writeStoreMetrics(to: out)
    writeJournalMetrics(to: out)
    writeStreamMetrics(to: out)
    writeProcessMetrics(to: out)
    writeLimitMetrics(to: out)
    writeAccessMetrics(to: out)
    out.single(
      "clock_steps_total", .counter, "Steps of the system clock that were larger than a second.", engine.clock.steps)
    out.metric("clock_offset_seconds", .gauge, "Server time minus system time.")
    out.sample("clock_offset_seconds", [], Double(engine.clock.offsetMilliseconds(at: instant)) / 1_000)
    if let probe {
      out.single(
        "clock_measurements_total", .counter, "Measurements against the time endpoint that gave an offset.",
        probe.measurements)
      out.single("clock_failures_total", .counter, "Questions to the time endpoint that gave no time.", probe.failures)
    }
    out.single("symbols", .gauge, "Symbols that are known.", Int64(engine.symbolCount))
    return out.bytes
  }

  private func writeFeedMetrics(to out: MetricsWriter) {
    out.metric("feed_connected", .gauge, "1 while the feed is connected.")
    for feed in feeds { out.sample("feed_connected", label(feed), Int64(feed.state == .connected ? 1 : 0)) }
    out.metric("feed_connects_total", .counter, "Connections that came to be.")
    for feed in feeds { out.sample("feed_connects_total", label(feed), feed.connects) }
    out.metric("feed_silences_total", .counter, "Connections dropped because no message came for too long.")
    for feed in feeds { out.sample("feed_silences_total", label(feed), feed.silences) }
    out.metric("feed_messages_total", .counter, "Messages received.")
    for (label, counters) in tickCounters { out.sample("feed_messages_total", label, counters.messages) }
    out.metric("feed_messages_ignored_total", .counter, "Messages without trades.")
    for feed in feeds { out.sample("feed_messages_ignored_total", label(feed), feed.counters.ignored) }
    out.metric("ticks_accepted_total", .counter, "Ticks taken into candles.")
    for (label, counters) in tickCounters { out.sample("ticks_accepted_total", label, counters.accepted) }
    out.metric("ticks_refused_total", .counter, "Ticks refused, by reason.")
    for (label, counters) in tickCounters {
      for reason in RefusalReason.allCases {
        out.sample("ticks_refused_total", label + [("reason", reason.name)], counters.refused[Int(reason.rawValue)])
      }
    }
    out.metric("feed_skew_seconds", .gauge, "Event time of the newest tick minus server time when it came.")
    for feed in feeds {
      if let skew = feed.skew { out.sample("feed_skew_seconds", label(feed), Double(skew) / 1_000) }
    }
    out.metric(
      "tick_skew_seconds", .histogram, "Event time of the newest tick of a message minus server time when it came.")
    for (label, counters) in tickCounters { out.histogram("tick_skew_seconds", label, counters.skew) }
    out.metric(
      "tick_lateness_seconds", .histogram,
      "Server time when a message came minus event time of its oldest tick; 0 where that ran ahead.")
    for (label, counters) in tickCounters { out.histogram("tick_lateness_seconds", label, counters.lateness) }
  }

  private func label(_ feed: Feed) -> [(String, String)] { [("feed", feed.specification.name)] }

  /// Of each feed, and of all producers as feed `ingest`.
  private var tickCounters: [([(String, String)], TickCounters)] {
    feeds.map { (label($0), $0.counters) } + [([("feed", "ingest")], ingestCounters)]
  }

  private func writeCandleMetrics(to out: MetricsWriter) {
    out.metric("candles_settled_total", .counter, "Candles settled, by what settled them.")
    out.sample("candles_settled_total", [("settled_by", "tick")], engine.counters.settledByTick)
    out.sample("candles_settled_total", [("settled_by", "clock")], engine.counters.settledByClock)
    out.metric("settlement_delay_seconds", .histogram, "Server time at settlement minus the candle's end.")
    out.histogram("settlement_delay_seconds", [("settled_by", "tick")], engine.settlementDelays.byTick)
    out.histogram("settlement_delay_seconds", [("settled_by", "clock")], engine.settlementDelays.byClock)
    out.single("candles_flat_total", .counter, "Settled candles without ticks.", engine.counters.flat)
    out.single("candles_corrected_total", .counter, "Corrections of settled candles.", engine.counters.corrections)
    out.single(
      "trades_missed_total", .counter, "Trades that are missing by the ids of their venue.",
      engine.counters.missedTrades)
    out.single("candles_forming_total", .counter, "Forming candles that were published.", engine.counters.forming)
  }

  private func writeStoreMetrics(to out: MetricsWriter) {
    out.single("store_commits_total", .counter, "Transactions committed.", commits.transactions)
    out.single("store_candles_total", .counter, "Rows of candles committed.", commits.candles)
    out.single("store_failures_total", .counter, "Transactions that failed and were tried again.", commits.failures)
    out.single(
      "store_retained_total", .counter, "Candles deleted because they were older than retention.", retainedCandles)
    out.single("store_writable", .gauge, "0 while the database takes no writes.", storeError == nil ? 1 : 0)
    out.single(
      "store_pending_bytes", .gauge, "Settled candles that wait for the database.", Int64(engine.pendingBytes))
    out.single("store_log_pages", .gauge, "Pages of 4 KiB in the write-ahead log.", Int64(store.logPages))
    out.single(
      "store_reads_refused_total", .counter, "Reads refused because too many waited.", Int64(store.refusedReads))
    out.single(
      "store_checkpoint_failures_total", .counter, "Times the write-ahead log could not be copied back.",
      Int64(store.failedCheckpoints))
    if let databaseBytes {
      out.single("store_bytes", .gauge, "What the database uses of its file, in bytes.", databaseBytes)
    }
    out.metric("store_commit_seconds", .histogram, "Time of a transaction.")
    out.histogram("store_commit_seconds", [], commits.seconds)
    out.metric("publish_delay_seconds", .histogram, "Time from a commit until its candles were handed to readers.")
    out.histogram("publish_delay_seconds", [], publishDelay)
  }

  private func writeJournalMetrics(to out: MetricsWriter) {
    let status = journal.status
    out.single("journal_bytes", .gauge, "Disk space of the journal.", status.bytesOnDisk)
    out.single("journal_segments", .gauge, "Segments of the journal with records.", Int64(status.segments))
    out.single("journal_records_total", .counter, "Records appended.", Int64(status.records))
    out.single("journal_appended_bytes_total", .counter, "Bytes appended.", Int64(status.bytesAppended))
    out.single("journal_failures_total", .counter, "Appends that failed and were tried again.", journalFailures)
    out.single(
      "journal_prepared", .gauge, "0 while the next segment cannot be laid out, for instance on a full disk.",
      status.preparation == nil ? 1 : 0)
    out.single("journal_writable", .gauge, "0 while the journal takes no ticks.", journalError == nil ? 1 : 0)
  }

  private func writeStreamMetrics(to out: MetricsWriter) {
    out.single("ingest_producers", .gauge, "Connections that send ticks.", Int64(producers.count))
    out.single("stream_subscribers", .gauge, "Connections on the stream.", Int64(hub.readerCount))
    out.single("stream_messages_total", .counter, "Messages queued for subscribers.", hub.counters.messages)
    out.single(
      "stream_encoded_total", .counter, "Messages encoded; each is shared by all its readers.", hub.counters.encoded)
    out.single(
      "stream_conflated_total", .counter, "Forming messages replaced by a newer one before they were sent.",
      hub.counters.conflated)
    out.single(
      "stream_slow_consumers_total", .counter, "Subscribers cut because their backlog grew too large.",
      hub.counters.slowConsumers)
    out.single(
      "stream_bad_requests_total", .counter, "Requests of subscribers that were refused.", hub.counters.badRequests)
    out.single("stream_backlog_bytes", .gauge, "Bytes that wait for subscribers.", Int64(hub.backlog))
    writeBacklogMetrics(to: out)
  }
}
