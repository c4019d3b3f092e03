import CandleConfiguration
import Testing

@Suite struct ConfigurationProblemTests {
  @Test func aProblemSaysWhereWhatAndWhatWasExpected() {
    let text = "feeds:\n  - name: a\n    url: ws://h\n    symbol: X\n    silence: 10 lightyears\n"
    #expect(
      list(text) == [
        ConfigurationProblem(
          file: "candled.yaml", line: 5, column: 14, path: "feeds[0].silence", value: "\"10 lightyears\"",
          reason: "is no duration", expected: "something like 500ms, 1s, 5m, 2h or 90d")
      ])
    #expect(
      problems(text) == [
        "candled.yaml:5:14: feeds[0].silence: \"10 lightyears\" is no duration; expected something like 500ms, 1s, 5m, 2h or 90d"
      ])
  }

  /// Text, then the beginning of each line of its problems after the file's name.
  static let wrong: [(String, [String])] = [
    // Syntax and structure.
    ("listen: [1, 2", ["2:1: syntax error: did not find expected ',' or ']'"]),
    ("a: b: c", ["1:5: syntax error: mapping values are not allowed"]),
    ("\tlisten: x", ["1:1: syntax error: found character that cannot start any token"]),
    ("database: a\u{1}b", ["1:12: syntax error: control characters are not allowed"]),
    ("- a", ["1:1: a list is no map; expected a map with listen, database"]),
    ("hello", ["1:1: a text is no map"]),
    ("{}\n---\n{}", ["2:1: begins a second document; expected one document"]),
    ("? [a]\n: b", ["1:3: has a key that is no text"]),
    ("stream: &a { tokens: [x] }", ["1:9: stream: has an anchor"]),
    ("stream: *a", ["1:9: stream: is an alias"]),
    ("database: !!binary aGk=", ["1:11: database: has a tag"]),
    ("settlement: [grace]", ["1:13: settlement: a list is no map; expected a map with grace"]),
    ("settlement: null", ["1:13: settlement: null is no map"]),
    // Keys.
    ("listn: a", ["1:1: listn: is an unknown key (did you mean listen?); expected listen, database"]),
    ("settlement:\n  grase: 1s", ["2:3: settlement.grase: is an unknown key (did you mean grace?)"]),
    ("grace: 1s", ["1:1: grace: is an unknown key (did you mean settlement.grace?)"]),
    ("\"a b\": 1", ["1:1: \"a b\": is an unknown key; expected listen"]),
    ("database: a\ndatabase: b", ["2:1: database: is doubled: it is on line 1 too"]),
    ("journal:\n  keep: 0\njournal: {}", ["3:1: journal: is doubled: it is on line 1 too"]),
    ("settlement: { grace: 1s, grace: 2s }", ["1:26: settlement.grace: is doubled: it is on line 1 too"]),
    ("retention: { M1: 1d, M1: 2d }", ["1:22: retention.M1: is doubled: it is on line 1 too"]),
    ("tls: { key: a }", ["1:6: tls.certificate: is missing; expected path of a file"]),
    // Types and ranges.
    ("listen: 8787", ["1:9: listen: \"8787\" is no address; expected 127.0.0.1:8787"]),
    ("listen: 1.2.3:80", ["1:9: listen: \"1.2.3:80\" is no address"]),
    ("listen: [::1]:80", ["1:10: syntax error"]),
    ("listen: localhost:65536", ["1:9: listen: \"localhost:65536\" is no address"]),
    ("database: 5", ["1:11: database: \"5\" is no path; expected the path of a file, in quotes"]),
    ("database: true", ["1:11: database: \"true\" is no path; expected the path of a file, in quotes"]),
    ("database:", ["1:10: database: nothing is no path; expected the path of a file"]),
    ("database: \"\"", ["1:11: database: \"\" is no path"]),
    ("timeframes: M1", ["1:13: timeframes: \"M1\" is no list; expected a list of timeframes"]),
    ("timeframes: []", ["1:13: timeframes: has 0 entries; expected at least 1"]),
    ("timeframes: [M1, M2]", ["1:18: timeframes[1]: \"M2\" is unknown; expected S1, S5"]),
    ("timeframes: [M1, M1]", ["1:18: timeframes[1]: \"M1\" is doubled: it is timeframes[0] too"]),
    ("settlement: { grace: 5 }", ["1:22: settlement.grace: \"5\" is no duration"]),
    ("settlement: { grace: -1s }", ["1:22: settlement.grace: \"-1s\" is no duration"]),
    ("settlement: { grace: 1.5s }", ["1:22: settlement.grace: \"1.5s\" is no duration"]),
    ("settlement: { grace: 1h }", ["1:22: settlement.grace: \"1h\" is out of range; expected 0 to 10m"]),
    ("settlement: { grace: 999999999999999999d }", ["1:22: settlement.grace: \"999999999999999999d\" is no duration"]),
    ("settlement: { flat_limit: \"1440\" }", ["1:27: settlement.flat_limit: \"1440\" is no integer"]),
    ("settlement: { flat_limit: 1.0 }", ["1:27: settlement.flat_limit: \"1.0\" is no integer"]),
    (
      "settlement: { flat_limit: -1 }",
      ["1:27: settlement.flat_limit: \"-1\" is out of range; expected an integer from 0"]
    ),
    (
      "settlement: { empty_candles: flut }",
      ["1:30: settlement.empty_candles: \"flut\" is unknown; expected flat or none; did you mean flat?"]
    ),
    ("settlement: { empty_candles: [flat] }", ["1:30: settlement.empty_candles: a list is no text"]),
    ("stream: { max_backlog: 4MB }", ["1:24: stream.max_backlog: \"4MB\" is no size; expected something like 64KiB"]),
    ("stream: { max_backlog: 0 }", ["1:24: stream.max_backlog: \"0\" is out of range"]),
    (
      "ingest: { allow_nonpositive_price: yes }",
      ["1:36: ingest.allow_nonpositive_price: \"yes\" is neither; expected true or false"]
    ),
    (
      "ingest: { allowed_origins: [\"https://a.example/x\"] }",
      ["1:29: ingest.allowed_origins[0]: \"https://a.example/x\" is no origin"]
    ),
    ("durability: disk", ["1:13: durability: \"disk\" is unknown; expected process or power"]),
    (
      "indicators: { ma: [5, 0] }",
      ["1:23: indicators.ma[1]: \"0\" is out of range; expected an integer from 1 to 1000"]
    ),
    ("indicators: { ma: [5, 5] }", ["1:23: indicators.ma[1]: \"5\" is doubled"]),
    ("indicators: { boll: [20] }", ["1:21: indicators.boll: has 1 entries; expected a period and a width"]),
    ("indicators: { boll: [20, 0] }", ["1:26: indicators.boll[1]: \"0\" is out of range"]),
    (
      "indicators: { macd: [26, 12, 9] }",
      ["1:26: indicators.macd[1]: \"12\" is out of range; expected more than the fast period 26"]
    ),
    ("indicators: { kdj: 9 }", ["1:20: indicators.kdj: \"9\" is no list"]),
    // What keys say together.
    ("clock: { source: http }", ["1:8: clock.url: is missing; expected the address of the time endpoint"]),
    ("clock: { url: \"https://a/b\" }", ["1:15: clock.url: means nothing with source: system"]),
    ("clock: { source: http, url: ftp://a }", ["1:29: clock.url: \"ftp://a\" is no such address"]),
    ("retention: { H1: 90d }", ["1:14: retention.H1: is not configured; expected one of timeframes: M1, M5 or M15"]),
    ("retention: { H3: 90d }", ["1:14: retention.H3: is no timeframe"]),
    (
      "retention: { M1: 90s }",
      ["1:18: retention.M1: \"90s\" is shorter than a candle and its correction window; expected at least 2m, or 0"]
    ),
    ("timeframes: [X1]\nretention: { H1: 90d }", ["1:14: timeframes[0]: \"X1\" is unknown"]),
  ]

  @Test(arguments: wrong) func isReported(text: String, expected: [String]) { expect(text, expected) }

  static let wrongFeeds: [(String, [String])] = [
    ("{ url: \"ws://h\", symbol: X }", ["1:9: feeds[0].name: is missing; expected name"]),
    ("{ name: \"a b\", preset: okx, symbol: X }", ["1:17: feeds[0].name: \"a b\" is no name of a feed"]),
    ("{ name: ingest, preset: okx, symbol: X }", ["1:17: feeds[0].name: \"ingest\" is no name of a feed"]),
    ("{ name: a, symbol: X }", ["1:9: feeds[0].url: is missing; expected a ws:// or wss:// address, or a preset"]),
    (
      "{ name: a, url: \"http://h\", symbol: X }",
      [
        "1:25: feeds[0].url: \"http://h\" is no such address; expected an address like wss://host/path or ws://host/path"
      ]
    ),
    ("{ name: a, url: \"ws://h\" }", ["1:9: feeds[0].symbol: is missing; expected the symbol of the ticks"]),
    ("{ name: a, url: \"ws://h\", symbol: \"-X\" }", ["1:43: feeds[0].symbol: \"-X\" is no symbol"]),
    ("{ name: a, url: \"ws://h\", symbols: [X, Y] }", ["1:44: feeds[0].symbols: is not for format csv"]),
    (
      "{ name: a, url: \"ws://h\", symbol: X, json: { time: t, price: p } }",
      ["1:52: feeds[0].json: means nothing with format: csv"]
    ),
    ("{ name: a, preset: okx, symbol: X, symbols: [X] }", ["1:53: feeds[0].symbols: stands beside symbol"]),
    ("{ name: a, preset: okx }", ["1:9: feeds[0].symbols: is missing"]),
    (
      "{ name: a, preset: binanse, symbol: X }",
      ["1:28: feeds[0].preset: \"binanse\" is unknown; expected binance, binance_us"]
    ),
    ("{ name: a, preset: okx, format: csv, symbol: X }", ["1:41: feeds[0].format: stands beside a preset"]),
    ("{ name: a, preset: okx, symbols: [X, X] }", ["1:46: feeds[0].symbols[1]: \"X\" is doubled"]),
    (
      "{ name: a, preset: okx, symbols: [{ venue: X, name: A }, { venue: X, name: B }] }",
      ["1:66: feeds[0].symbols[1].venue: is doubled"]
    ),
    ("{ name: a, preset: okx, symbols: [{ name: A }] }", ["1:43: feeds[0].symbols[0].venue: is missing"]),
    ("{ name: a, preset: okx, symbols: [{ venue: \"@1\" }] }", ["1:43: feeds[0].symbols[0].name: is missing"]),
    ("{ name: a, url: \"ws://h\", format: json, symbol: X }", ["1:9: feeds[0].json: is missing"]),
    (
      "{ name: a, url: \"ws://h\", format: json, symbol: X, json: { time: t } }",
      ["1:66: feeds[0].json.price: is missing"]
    ),
    ("{ name: a, url: \"ws://h\", format: json, json: { time: t, price: p } }", ["1:9: feeds[0].symbol: is missing"]),
    (
      "{ name: a, url: \"ws://h\", format: json, symbols: [A, B], json: { time: t, price: p } }",
      ["1:72: feeds[0].json.symbol: is missing"]
    ),
    (
      "{ name: a, url: \"ws://h\", format: json, symbol: A, json: { time: t..u, price: p } }",
      ["1:74: feeds[0].json.time: \"t..u\" is no path"]
    ),
    ("{ name: a, preset: okx, symbol: A, history: { format: binance } }", ["1:53: feeds[0].history.url: is missing"]),
    (
      "{ name: a, preset: okx, symbol: A, silence: 1ms }",
      ["1:53: feeds[0].silence: \"1ms\" is out of range; expected 100ms to 1d, or 0"]
    ),
    (
      "{ name: a, preset: okx, symbol: A }, { name: a, preset: okx, symbol: B }",
      ["1:54: feeds[1].name: \"a\" is the name of feeds[0] too"]
    ),
  ]

  @Test(arguments: wrongFeeds) func isReportedOfFeeds(text: String, expected: [String]) {
    expect("feeds: [\(text)]", expected)
  }

  private func expect(_ text: String, _ expected: [String]) {
    let found = problems(text)
    #expect(found.count == expected.count, "\(found)")
    for (line, beginning) in zip(found, expected) { #expect(line.hasPrefix("candled.yaml:" + beginning)) }
  }

  @Test func allProblemsAreFoundAtOnceInTheOrderOfTheFile() {
    let text = """
      listen: nowhere
      timeframes: [M1, M2]
      speed: 5
      settlement:
        grace: soon
        flat_limit: many
      feeds:
        - { name: a, preset: okx, silence: never, symbols: [A, "b c", D, "/"] }
        - { name: a, url: "ws://h" }
      clock: { source: http }
      """
    #expect(
      list(text).map { "\($0.line):\($0.column) \($0.path)" } == [
        "1:9 listen", "2:18 timeframes[1]", "3:1 speed", "5:10 settlement.grace", "6:15 settlement.flat_limit",
        "8:38 feeds[0].silence", "8:58 feeds[0].symbols[1]", "8:68 feeds[0].symbols[3]", "9:5 feeds[1].symbol",
        "9:13 feeds[1].name", "10:8 clock.url",
      ])
  }

  @Test(arguments: [
    "ingest: { tokens: swordfish }", "ingest: { tokens: [\"swordfish 2\"] }", "ingest: swordfish",
    "ingest: { tokens: [[swordfish]] }", "ingest: { tokens: [swordfish, swordfish] }",
    "ingest: { tokens: one, swordfish }",
    "stream: { tokens: { swordfish: 1 } }", "stream: { token: swordfish }", "swordfish",
    "clock: { source: http, url: \"ftp://swordfish@h/?token=swordfish\" }",
    "feeds: [{ name: a, url: \"wss://swordfish:x@h/?key=swordfish\", symbol: X }]",
    "feeds: [{ name: a, url: \"wss://h\", symbol: X, subscribe: { swordfish: swordfish } }]",
  ])
  func secretsAreHidden(text: String) {
    let found = problems(text)
    #expect(!found.isEmpty)
    for line in found { #expect(!line.contains("swordfish"), "\(line)") }
  }

  @Test func columnsAreCharactersAndValuesStayOnOneLine() {
    #expect(list("{ database: \"ä€😀\", durability: x }")[0].column == 32)
    let value = list("durability: \"a\\nb\\u202e\(String(repeating: "x", count: 200))\"")[0].value
    #expect(value == "\"a\\nb\\u{202e}\(String(repeating: "x", count: 76))…\"")
  }

  @Test func bytesThatAreNoUTF8AreASyntaxError() {
    guard case .failure(let problems) = Configuration.parse(bytes: Array("a: b\nc: ".utf8) + [0xff], file: "f") else {
      Issue.record("accepted")
      return
    }
    #expect(problems.description.hasPrefix("f:2:4: syntax error: invalid leading UTF-8 octet"))
  }

  @Test func aFileOfNonsenseIsCutShort() {
    let found = list(String(repeating: "colour: 1\n", count: 3_000))
    #expect(found.count == 1_001)
    #expect(found.last?.reason == "there may be more problems than these 1000")
  }

  @Test func depthIsBounded() {
    let deep = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(problems("feeds: \(deep)").first?.contains("is too deep; expected at most 32 levels") == true)
  }
}
