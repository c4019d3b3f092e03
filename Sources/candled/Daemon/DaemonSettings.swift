import CandleCore
import CandleEngine
import CandleNet
import CandleStore

/// All that a daemon is started with.
struct DaemonSettings: Sendable {
  var engine = EngineConfiguration()
  var feeds: [FeedSpecification] = []
  var net = NetConfiguration()
  var store = StoreOptions()
  var database = "candles.db"
  var maxBacklog = 4 << 20
  var topicsPerConnection = 1_000
  var convention = "tdx"
}
