import CandleConfiguration
import CandleCore
import Testing

@Suite struct ConfigurationTests {
  @Test func everyKeyHasItsDefault() {
    let c = Configuration()
    #expect(c.listen == Configuration.Listen(host: "127.0.0.1", port: 8787))
    #expect(c.database == "candles.db")
    #expect(c.timeframes == [.M1, .M5, .M15])
    #expect((c.settlement.grace, c.settlement.correctionWindow, c.settlement.maxAhead) == (1_000, 60_000, 5_000))
    #expect(c.settlement.emptyCandles == .flat && c.settlement.flatLimit == 1_440)
    #expect(
      c.clock.source == .system && c.clock.url == nil && c.clock.field == ["serverTime"] && c.clock.every == 300_000)
    #expect(c.stream.formingInterval == 100 && c.stream.maxBacklog == 4 * 1_048_576 && c.stream.tokens.isEmpty)
    #expect(c.ingest.tokens.isEmpty && c.ingest.allowedOrigins.isEmpty && c.ingest.timestamp == .auto)
    #expect(!c.ingest.allowNonpositivePrice)
    #expect(c.durability == .process && c.retention.isEmpty && c.journal.keep == 0 && c.tls == nil)
    #expect(c.limits.pending == 268_435_456 && c.limits.maxMessage == 1_048_576 && c.limits.connections == 20_000)
    #expect((c.limits.connectionsPerAddress, c.limits.topicsPerConnection) == (10_000, 1_000))
    #expect((c.limits.symbols, c.limits.snapshot) == (100_000, 10_000))
    #expect(c.limits.handshakeTime == 10_000)
    let i = c.indicators
    #expect(
      i.convention == .tdx && !i.store && i.flat == nil && i.emaSeed == nil && i.kdjSeed == nil && i.rsiSeed == nil)
    #expect(i.macdMultiplier == nil && i.bollDdof == nil)
    #expect(i.ma == [5, 10, 20] && i.ema == [] && i.mavol == [5, 10] && i.rsi == [6, 12, 24] && i.wr == [10, 6])
    #expect(i.boll == .init(period: 20, multiplier: 2) && i.macd == .init(fast: 12, slow: 26, signal: 9))
    #expect(i.kdj == .init(period: 9, k: 3, d: 3))
    #expect(c.feeds.isEmpty)
    let feed = read("feeds: [{ name: a, url: \"ws://h\", symbol: X }]").feeds[0]
    #expect(feed.format == .csv && feed.preset == nil && feed.timestamp == .auto && !feed.allowNonpositivePrice)
    #expect(!feed.contiguousIds && feed.silence == 60_000 && feed.subscribe.isEmpty && feed.ca == nil)
    #expect(feed.history == nil && feed.json == nil && feed.heartbeat == nil)
  }

  @Test(arguments: ["", "# nothing\n", "---\n", "{}", "settlement:\n  # grace: 1s\nfeeds:\n#  - {}\n", "\u{feff}{}"])
  func aFileThatSaysNothingIsTheDefaults(text: String) {
    #expect(read(text) == Configuration())
  }

  @Test func theContractsExampleIsTheDefaultsAndTwoFeeds() {
    var expected = Configuration()
    var local = Configuration.Feed(name: "local")
    local.url = "ws://127.0.0.1:9001/ticks"
    local.symbols = [.init(venue: "BTCUSDT")]
    local.history = .init(url: "http://127.0.0.1:9001/history")
    var binance = Configuration.Feed(name: "binance")
    binance.preset = .binance
    binance.symbols = [.init(venue: "BTCUSDT"), .init(venue: "ETHUSDT")]
    expected.feeds = [local, binance]
    #expect(read(contractExample) == expected)
  }

  @Test func everyKeyCanBeSet() {
    let c = read(fullExample)
    #expect(c.listen == Configuration.Listen(host: "::1", port: 9_000))
    #expect(c.listen.description == "[::1]:9000")
    #expect(c.timeframes == [.S1, .M1, .W1], "in the order of their length")
    #expect(c.settlement.grace == 250 && c.settlement.emptyCandles == .none && c.settlement.maxAhead == 0)
    #expect(c.clock.source == .http && c.clock.field == ["data", "0", "time"] && c.clock.every == 3_600_000)
    #expect(c.stream.tokens == ["reader", "77"])
    #expect(c.retention == [.S1: 3_600_000, .W1: 3_650 * 86_400_000])
    #expect(c.limits.maxMessage == 4_096)
    #expect(c.indicators.flat == .null && c.indicators.kdjSeed == .fifty && c.indicators.boll?.multiplier == 2.5)
    let feed = c.feeds[0]
    #expect(feed.symbols.map(\.name) == ["BTC-USD", "ETHUSD", "600519"])
    #expect(feed.symbols[1] == .init(venue: "tETHUSD", name: "ETHUSD", base: "ETH", quote: "USD"))
    #expect(feed.subscribe.map(\.revealed) == [#"{"op":"subscribe","args":["a"]}"#, "line\nbreak \u{2028}"])
    #expect(feed.silence == 0 && feed.json?.symbol == ["arg", "instId"] && feed.json?.buy == "false")
    #expect(feed.heartbeat == .init(every: 20_000, send: "ping"))
    #expect(c.feeds[2].subscribe == ["hello"] && c.feeds[2].symbols == [.init(venue: "x", name: "X")])
  }

  @Test func jsonIsAcceptedToo() {
    let c = read(
      """
      {"listen":"localhost:0","settlement":{"grace":"2s","flat_limit":10,"max_ahead":"0"},"tls":null,
      \t"stream":{"tokens":["a\\/b","\\u0041"]},"indicators":{"kdj_seed":50,"flat":null,"store":true},
      "feeds":[{"name":"x","preset":"kraken","symbols":["BTC/USD",{"venue":"ETH/USD","name":"ETHUSD"}]}]}
      """)
    #expect(c.listen == Configuration.Listen(host: "localhost", port: 0))
    #expect(c.settlement.grace == 2_000 && c.settlement.flatLimit == 10 && c.settlement.maxAhead == 0)
    #expect(c.stream.tokens == ["a/b", "A"] && c.indicators.flat == .null && c.indicators.store)
    #expect(c.feeds[0].symbols.map(\.name) == ["BTC/USD", "ETHUSD"])
  }

  @Test func zeroRetentionIsAsGoodAsNone() {
    #expect(read("retention: { M1: 0, M5: 90d }").retention == [.M5: 90 * 86_400_000])
  }

  @Test func emptyListsAndNullTurnIndicatorsOff() {
    let i = read("indicators: { boll: [], macd: null, kdj: ~, ma: [] }").indicators
    #expect(i.boll == nil && i.macd == nil && i.kdj == nil && i.ma.isEmpty)
  }

  @Test func settlementRulesFollowTheConfiguration() {
    var c = read("timeframes: [M5, S1]\nsettlement: { empty_candles: none, flat_limit: 1000000000 }")
    #expect(
      c.settlementRules
        == SettlementRules(timeframes: [.S1, .M5], emptyCandles: .none, flatLimit: 1_000_000_000, maxAhead: 5_000))
    c.clock.source = .feed
    #expect(c.settlementRules.maxAhead == nil)
  }

  @Test func secretsAreNotPrinted() {
    let c = read(
      "ingest: { tokens: [swordfish] }\nfeeds: [{ name: a, url: \"ws://h\", symbol: X, subscribe: swordfish }]")
    var dumped = ""
    dump(c, to: &dumped)
    for text in ["\(c)", String(reflecting: c), dumped] { #expect(!text.contains("swordfish")) }
    #expect(c.ingest.tokens[0].revealed == "swordfish")
  }
}
