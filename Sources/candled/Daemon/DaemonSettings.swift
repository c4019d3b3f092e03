import CandleCore
import CandleEngine
import CandleJournal
import CandleNet
import CandleStore
import CandleWire

/// All that a daemon is started with.
struct DaemonSettings: Sendable {
  var engine = EngineConfiguration()
  var feeds: [FeedSpecification] = []
  /// Only with clock source `http`.
  var clock: ClockSettings?
  var ingest = IngestSettings()
  /// Subscribers and HTTP clients need one of these; empty: nobody needs one.
  var streamTokens: [String] = []
  /// Milliseconds that candles of a timeframe are kept; what is not in it is kept forever.
  var retention: [Timeframe: Milliseconds] = [:]
  var net = NetConfiguration()
  var store = StoreOptions()
  var journal = JournalOptions()
  var database = "candles.db"
  /// Whether candles are stored with the values of their indicators.
  var storeIndicators = false
  var maxBacklog = 4 << 20
  var topicsPerConnection = 1_000
  var maximumSnapshot = 10_000
  /// HTTP requests and refused handshakes a second from one address; 0 = no limit.
  var requestsPerSecond = 1_000
  /// Bytes on disk beyond which ticks are refused; 0 = no limit.
  var journalLimit: Int64 = 16 << 30
  var databaseLimit: Int64 = 0
  var convention = "tdx"
  /// Base and quote of series whose name does not tell them.
  var assets: [String: SymbolAssets] = [:]
}

/// Who may send ticks, and in which form.
struct IngestSettings: Sendable {
  /// Empty: only loopback peers.
  var tokens: [String] = []
  var allowedOrigins: [String] = []
  var timestamp: TimestampUnit = .auto
  var allowsNonpositivePrice = false
}
