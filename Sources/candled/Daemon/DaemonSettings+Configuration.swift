import CandleConfiguration
import CandleCore
import CandleEngine
import CandleFeeds
import CandleIndicators
import CandleNet
import CandleWire

extension DaemonSettings {
  init(_ configuration: Configuration) {
    self.init()
    engine = EngineConfiguration(
      rules: configuration.settlementRules,
      clock: ServerClock.Source(rawValue: configuration.clock.source.rawValue) ?? .system,
      formingInterval: configuration.stream.formingInterval, pendingLimit: configuration.limits.pending,
      symbolLimit: configuration.limits.symbols, indicators: IndicatorConfiguration(configuration.indicators))
    storeIndicators = configuration.indicators.store
    convention = configuration.indicators.convention.rawValue
    database = configuration.database
    store.synchronous = configuration.durability == .power ? .full : .normal
    journal.durability = configuration.durability == .power ? .power : .process
    journal.keep = configuration.journal.keep
    maxBacklog = configuration.stream.maxBacklog
    topicsPerConnection = configuration.limits.topicsPerConnection
    maximumSnapshot = configuration.limits.snapshot
    net.host = configuration.listen.host
    net.port = Int(configuration.listen.port)
    net.maxMessage = configuration.limits.maxMessage
    net.maxConnections = configuration.limits.connections
    net.maxConnectionsPerAddress = configuration.limits.connectionsPerAddress
    net.handshakeTimeout = .milliseconds(configuration.limits.handshakeTime)
    net.maxHead = configuration.limits.header
    requestsPerSecond = configuration.limits.requestsPerSecond
    journalLimit = Int64(configuration.limits.journal)
    databaseLimit = Int64(configuration.limits.database)
    net.tls = configuration.tls.map { NetConfiguration.TLSIdentity(certificate: $0.certificate, key: $0.key) }
    feeds = configuration.feeds.flatMap(FeedSpecification.all)
    if configuration.clock.source == .http, let url = configuration.clock.url {
      clock = ClockSettings(url: url, field: configuration.clock.field.segments, every: configuration.clock.every)
    }
    for symbol in configuration.feeds.flatMap(\.symbols) where symbol.base != nil || symbol.quote != nil {
      let split = SymbolAssets(splitting: symbol.venue)
      assets[symbol.name] = SymbolAssets(base: symbol.base ?? split.base, quote: symbol.quote ?? split.quote)
    }
    streamTokens = configuration.stream.tokens.map(\.revealed)
    retention = configuration.retention
    ingest = IngestSettings(
      tokens: configuration.ingest.tokens.map(\.revealed), allowedOrigins: configuration.ingest.allowedOrigins,
      timestamp: configuration.ingest.timestamp, allowsNonpositivePrice: configuration.ingest.allowNonpositivePrice)
  }
}

extension IndicatorConfiguration {
  init(_ section: Configuration.Indicators) {
    self.init(convention: IndicatorConvention(rawValue: section.convention.rawValue) ?? .tdx)
    ma = section.ma
    ema = section.ema
    mavol = section.mavol
    rsi = section.rsi
    wr = section.wr
    boll = section.boll.map { Bollinger(period: $0.period, multiplier: $0.multiplier) }
    macd = section.macd.map { MACDPeriods(fast: $0.fast, slow: $0.slow, signal: $0.signal) }
    kdj = section.kdj.map { KDJPeriods(period: $0.period, k: $0.k, d: $0.d) }
    if let seed = section.emaSeed, let knob = EMASeed(rawValue: seed.rawValue) { emaSeed = knob }
    if let seed = section.kdjSeed, let knob = KDJSeed(rawValue: seed.rawValue) { kdjSeed = knob }
    if let seed = section.rsiSeed, let knob = RSISeed(rawValue: seed.rawValue) { rsiSeed = knob }
    if let value = section.flat, let knob = FlatValue(rawValue: value.rawValue) { flat = knob }
    if let multiplier = section.macdMultiplier { macdMultiplier = multiplier }
    if let ddof = section.bollDdof { bollDdof = ddof }
  }
}
