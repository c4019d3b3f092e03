import CandleEngine
import CandleWire

/// What waits for subscribers, looked at from time to time, reader by reader.
struct BacklogSamples {
  /// Nanoseconds between two looks.
  static let interval: Int64 = 5_000_000_000

  var bytes = Histogram(bounds: Histogram.bytes)
  /// The largest of the last look.
  var largest = 0
  /// Monotonic time of the next look, in nanoseconds.
  var next: Int64 = 0
}

extension Daemon {
  /// What was committed has been handed to the queues of its readers.
  func notePublished() {
    guard !unpublishedCommits.isEmpty else { return }
    let now = MachineClock.now().monotonic
    for time in unpublishedCommits { publishDelay.observe(Double(max(0, now - time)) / 1e9) }
    unpublishedCommits.removeAll(keepingCapacity: true)
  }

  func sampleBacklogs() {
    guard instant.monotonic >= backlogs.next else { return }
    backlogs.next = instant.monotonic + BacklogSamples.interval
    backlogs.largest = 0
    hub.forEachBacklog { bytes in
      backlogs.bytes.observe(Double(bytes))
      backlogs.largest = max(backlogs.largest, bytes)
    }
  }

  func writeBacklogMetrics(to out: MetricsWriter) {
    out.metric("stream_reader_backlog_bytes", .histogram, "Bytes that wait for a subscriber, looked at every 5 s.")
    out.histogram("stream_reader_backlog_bytes", [], backlogs.bytes)
    out.single(
      "stream_largest_backlog_bytes", .gauge, "Bytes that wait for the slowest subscriber.", Int64(backlogs.largest))
  }
}
