import CandleCore

private let second: Milliseconds = 1_000
private let minute: Milliseconds = 60 * second
private let hour: Milliseconds = 60 * minute
private let day: Milliseconds = 24 * hour

extension Configuration.Settlement {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key("grace", \.grace, .duration(0...10 * minute), "How long after a boundary the clock waits for a tick"),
        Key(
          "correction_window", \.correctionWindow, .duration(0...7 * day),
          "How long after its end a candle is still corrected by late ticks"),
        Key(
          "empty_candles", \.emptyCandles, .emptyCandles,
          "What an interval without ticks yields: a flat candle, or nothing"),
        Key(
          "flat_limit", \.flatLimit, .integer(0...1_000_000_000),
          "Flat candles in a row after which a symbol is dormant; 0 = no limit"),
        Key("max_ahead", \.maxAhead, .duration(0...day), "How far past the server clock a tick may be"),
      ])
  }
}

extension Configuration.Clock {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key(
          "source", \.source, .choice(), "The system's clock, a time endpoint's, or the newest tick (recorded data)"),
        Key("url", \.url, .optional(.url("https", "http")), "With source http: the time endpoint, answering JSON"),
        Key("field", \.field, .fieldPath, "With source http: where the answer holds the Unix time"),
        Key("every", \.every, .duration(second...day), "With source http: time between measurements"),
      ],
      check: { clock, view in
        guard !view.report.hasProblem(in: view.path(of: "source")) else { return }
        if clock.source == .http {
          if !view.has("url") {
            view.reportMissing("url", expected: "the address of the time endpoint, with source: http")
          }
        } else {
          // Someone who names an endpoint means to use it.
          view.refuse("url", "means nothing with source: \(clock.source.rawValue)", expected: "source: http")
        }
      })
  }
}

extension Configuration.Stream {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key(
          "forming_interval", \.formingInterval, .duration(0...hour),
          "Least time between two forming messages of a series; 0 = no limit"),
        Key("max_backlog", \.maxBacklog, .size(64 << 10...1 << 40), "How far a reader may lag before it is cut off"),
        Key("tokens", \.tokens, .tokens, "Subscribers and HTTP clients need one of these; none = open"),
      ])
  }
}

extension Configuration.Ingest {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key("tokens", \.tokens, .tokens, "Producers need one of these; none = only from this machine"),
        Key(
          "allowed_origins", \.allowedOrigins,
          .list("a list of origins", of: .origin, count: 0...1_000, identity: { $0 }),
          "Origins of web pages that may produce"),
        Key("timestamp", \.timestamp, .timestampUnit, "Unit of the producers' timestamps; auto goes by their digits"),
        Key("allow_nonpositive_price", \.allowNonpositivePrice, .boolean, "Whether prices may be 0 or negative"),
      ])
  }
}

extension Configuration.Journal {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key(
          "keep", \.keep, .duration(0...36_500 * day), "How much longer segments stay than they are needed, for replay")
      ])
  }
}

extension Configuration.Limits {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key(
          "pending", \.pending, .size(1...1 << 40),
          "Settled candles that wait for a failing disk; beyond it ticks are refused"),
        Key("max_message", \.maxMessage, .size(64...1 << 30), "A message from a producer or subscriber"),
        Key("connections", \.connections, .integer(1...1_000_000), "Connections at a time"),
        Key(
          "connections_per_address", \.connectionsPerAddress, .integer(1...1_000_000),
          "Connections at a time from one address"),
        Key("topics_per_connection", \.topicsPerConnection, .integer(1...1_000_000), "Topics a subscriber may have"),
        Key("symbols", \.symbols, .integer(1...10_000_000), "Symbols; ticks of further ones are refused"),
        Key("snapshot", \.snapshot, .integer(1...1_000_000), "Candles a topic that a subscriber may ask for at once"),
        Key(
          "handshake_time", \.handshakeTime, .duration(100...10 * minute),
          "Time until a request or handshake must be complete"),
        Key("header", \.header, .size(1 << 10...60 << 10), "The head of a request: its line and its headers"),
        Key(
          "requests_per_second", \.requestsPerSecond, .integer(0...1_000_000),
          "HTTP requests and refused handshakes a second from one address, in bursts of twice as many; 0 = no limit"),
        Key(
          "journal", \.journal, .size(64 << 20...1 << 50, zero: "the disk is the limit"),
          "The journal on disk; beyond it ticks are refused"),
        Key(
          "database", \.database, .size(1 << 20...1 << 50, zero: "the disk is the limit"),
          "What the database uses of its file; beyond it ticks are refused"),
      ])
  }
}

extension Configuration.TLS {
  static var section: Section<Self> {
    Section(
      defaults: Self(certificate: "", key: ""),
      keys: [
        Key("certificate", \.certificate, .file, isRequired: true, "The certificate chain (PEM)"),
        Key("key", \.key, .file, isRequired: true, "The private key (PEM)"),
      ])
  }
}

extension ValueForm where Value == [Secret] {
  static var tokens: ValueForm { .list("a list of tokens", of: .token, count: 0...10_000, identity: \.revealed) }
}
