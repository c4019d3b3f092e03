import CandleCore
import CandleEngine
import CandleFeeds
import CandleWire

extension Daemon {
  /// Each history source once.
  private var historySources: [HistorySource] {
    var sources: [HistorySource] = []
    for seam in seams.values.sorted(by: { $0.symbol < $1.symbol })
    where !sources.contains(where: { $0 === seam.source }) {
      sources.append(seam.source)
    }
    return sources
  }

  func writeSeamMetrics(to out: MetricsWriter) {
    out.single("history_candles_total", .counter, "Candles filled from a history source.", engine.counters.filled)
    out.single(
      "history_mismatch_total", .counter, "Candles complete from ticks that differ from what a history source says.",
      engine.counters.historyMismatches)
    out.single(
      "ticks_superseded_total", .counter, "Late ticks accepted for candles that were filled, which change nothing.",
      engine.supersededTicks)
    out.single(
      "history_wanted_candles", .gauge, "Candles that history sources are still asked for.",
      seams.values.reduce(0) { $0 + $1.candles })
    let sources = historySources
    guard !sources.isEmpty else { return }
    out.metric("history_requests_total", .counter, "Requests to a history source.")
    for source in sources { out.sample("history_requests_total", label(source), source.counters.requests) }
    out.metric("history_failures_total", .counter, "Requests that gave no candles, by reason.")
    for source in sources {
      for (reason, count) in source.counters.failures.sorted(by: { $0.key < $1.key }) {
        out.sample("history_failures_total", label(source) + [("reason", reason)], count)
      }
    }
    out.metric("history_rows_refused_total", .counter, "Rows of answers that were refused, by reason.")
    for source in sources {
      for reason in HistoryRefusal.Reason.allCases {
        out.sample(
          "history_rows_refused_total", label(source) + [("reason", reason.rawValue)],
          source.counters.refused[reason] ?? 0)
      }
    }
  }

  private func label(_ source: HistorySource) -> [(String, String)] { [("source", source.publicURL)] }

  /// The history sources in `/v1/status`.
  func writeSeamStatus(to out: ByteWriter) {
    out.write(",\"history\":[")
    for (index, source) in historySources.enumerated() {
      out.write(index > 0 ? ",{\"url\":" : "{\"url\":")
      out.writeJSON(string: source.publicURL)
      let own = seams.values.filter { $0.source === source }
      out.write(",\"symbols\":\(own.count),\"wanted_candles\":\(own.reduce(0) { $0 + $1.candles })")
      out.write(",\"open_gaps\":\(own.reduce(0) { $0 + $1.queues.reduce(0) { $0 + $1.gaps } })")
      out.write(",\"requests\":\(source.counters.requests),\"last_error\":")
      if let error = source.counters.lastError { out.writeJSON(string: error) } else { out.write("null") }
      out.write("}")
    }
    out.write("]")
  }
}
