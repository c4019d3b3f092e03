import CandleConfiguration
import Testing

/// What a text says; a failed expectation if it has problems.
func read(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> Configuration {
  switch Configuration.parse(text: text, file: "candled.yaml") {
  case .success(let configuration): return configuration
  case .failure(let problems):
    Issue.record("\(problems)", sourceLocation: sourceLocation)
    return Configuration()
  }
}

/// The problems of a text, a line for each.
func problems(_ text: String) -> [String] { list(text).map(\.description) }

func list(_ text: String) -> [ConfigurationProblem] {
  switch Configuration.parse(text: text, file: "candled.yaml") {
  case .success: []
  case .failure(let problems): problems.list
  }
}

/// splitmix64
struct Draw: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}

let contractExample = """
  listen: 127.0.0.1:8787
  database: candles.db
  timeframes: [M1, M5, M15]
  settlement: { grace: 1s, correction_window: 60s, empty_candles: flat, flat_limit: 1440, max_ahead: 5s }
  clock: { source: system }      # or { source: http, url: https://…/time, field: serverTime, every: 5m }, or { source: feed }
  stream: { forming_interval: 100ms, max_backlog: 4MiB, tokens: [] }
  ingest: { tokens: [], allowed_origins: [], timestamp: auto }
  durability: process            # survives kill -9; `power` also power loss (fsync, synchronous=FULL)
  retention: { M1: 0, M5: 0, M15: 0 }   # e.g. M1: 90d; 0 keeps everything
  journal: { keep: 0 }           # e.g. 24h: journal segments stay that long, and `replay` reads them
  limits: { pending: 256MiB, max_message: 1MiB, connections: 20000, connections_per_address: 10000, topics_per_connection: 1000, symbols: 100000 }
  tls: null                      # { certificate: …, key: … } serves wss and https
  indicators: { convention: tdx, store: false, ma: [5, 10, 20], ema: [], mavol: [5, 10], boll: [20, 2], macd: [12, 26, 9], kdj: [9, 3, 3], rsi: [6, 12, 24], wr: [10, 6] }
  feeds:
    - { name: local, url: "ws://127.0.0.1:9001/ticks", format: csv, symbol: BTCUSDT, history: { url: "http://127.0.0.1:9001/history", format: zxkline } }
    - { name: binance, preset: binance, symbols: [BTCUSDT, ETHUSDT] }
  """

/// A file in which every key has a value other than its default.
let fullExample = """
  listen: "[::1]:9000"
  database: /var/lib/candled/all.db
  timeframes: [W1, S1, M1]
  settlement: { grace: 250ms, correction_window: 2m, empty_candles: none, flat_limit: 0, max_ahead: 0 }
  clock: { source: http, url: "https://api.example.com/time?v=1", field: data.0.time, every: 1h }
  stream: { forming_interval: 0, max_backlog: 64KiB, tokens: [reader, "77"] }
  ingest: { tokens: [writer], allowed_origins: ["https://app.example.com:8443"], timestamp: us, allow_nonpositive_price: true }
  durability: power
  retention: { S1: 1h, W1: 3650d }
  journal: { keep: 24h }
  limits:
    pending: 1GiB
    max_message: 4096
    connections: 10
    connections_per_address: 9
    topics_per_connection: 8
    symbols: 7
    snapshot: 6
    handshake_time: 5s
  tls: { certificate: /etc/candled/cert.pem, key: /etc/candled/key.pem }
  indicators:
    convention: talib
    ema_seed: first
    macd_multiplier: 2
    boll_ddof: 1
    kdj_seed: 50
    rsi_seed: first
    flat: null
    store: true
    ma: [7]
    ema: [12, 26]
    mavol: []
    boll: [26, 2.5]
    macd: [5, 35, 5]
    kdj: [14, 3, 5]
    rsi: [14]
    wr: [14]
  feeds:
    - name: venue
      url: wss://ws.example.com/v1?stream=trades
      format: json
      symbols: [BTC-USD, { venue: "tETHUSD", name: ETHUSD, base: ETH, quote: USD }, 600519]
      timestamp: ns
      allow_nonpositive_price: true
      contiguous_ids: true
      silence: 0
      subscribe: ['{"op":"subscribe","args":["a"]}', "line\\nbreak \\u2028"]
      ca: ca.pem
      history: { url: "http://127.0.0.1:9001/history", format: candled, omits_empty: true, ca: other.pem }
      json: { trades: data, symbol: arg.instId, time: ts, price: px, volume: sz, id: tradeId, side: m, buy: false }
      heartbeat: { every: 20s, send: ping }
    - { name: okx, preset: okx, url: "ws://127.0.0.1:1/okx", symbol: BTC-USDT }
    - { name: csv.1, url: "wss://[::1]:9001", symbol: { venue: x, name: X }, subscribe: hello }
  """
