import CandleWire
import Testing

@Suite struct MetricsWriterTests {
  private func text(_ body: (MetricsWriter) -> Void) -> String {
    let out = MetricsWriter()
    body(out)
    return String(decoding: out.bytes, as: UTF8.self)
  }

  @Test func aMetricHasHelpTypeAndSamples() {
    let text = text { out in
      out.metric("ticks_refused_total", .counter, "Ticks refused, by reason.")
      out.sample("ticks_refused_total", [("feed", "a"), ("reason", "bad_price")], Int64(3))
      out.single("symbols", .gauge, "Symbols that are known.", 7)
    }
    #expect(
      text == """
        # HELP candled_ticks_refused_total Ticks refused, by reason.
        # TYPE candled_ticks_refused_total counter
        candled_ticks_refused_total{feed="a",reason="bad_price"} 3
        # HELP candled_symbols Symbols that are known.
        # TYPE candled_symbols gauge
        candled_symbols 7

        """)
  }

  @Test func labelsAreEscaped() {
    #expect(text { $0.sample("x", [("l", "a\"b\\c\nd")], Int64(1)) } == "candled_x{l=\"a\\\"b\\\\c\\nd\"} 1\n")
  }

  @Test func aHistogramIsCumulative() {
    var histogram = Histogram(bounds: [0.1, 1, 2.5])
    for value in [0.05, 0.1, 0.5, 2, 9] { histogram.observe(value) }
    let text = text { $0.histogram("commit_seconds", [("a", "b")], histogram) }
    #expect(
      text == """
        candled_commit_seconds_bucket{a="b",le="0.1"} 2
        candled_commit_seconds_bucket{a="b",le="1.0"} 3
        candled_commit_seconds_bucket{a="b",le="2.5"} 4
        candled_commit_seconds_bucket{a="b",le="+Inf"} 5
        candled_commit_seconds_sum{a="b"} 11.65
        candled_commit_seconds_count{a="b"} 5

        """)
  }

  @Test func anObservationOnABoundIsWithinIt() {
    var histogram = Histogram(bounds: [1, 2])
    for value in [1, 2, 2.0000001, -5] { histogram.observe(value) }
    #expect(histogram.counts == [2, 1] && histogram.count == 4)
  }

  @Test func theBoundsOfSecondsRise() {
    #expect(Histogram.seconds == Histogram.seconds.sorted() && Set(Histogram.seconds).count == Histogram.seconds.count)
  }
}
