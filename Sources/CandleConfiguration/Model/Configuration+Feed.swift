import CandleCore

extension Configuration {
  /// A source of ticks that the daemon dials.
  public struct Feed: Sendable, Equatable {
    /// A venue whose dialect is known.
    public enum Preset: String, Sendable, CaseIterable {
      case binance
      case binanceUS = "binance_us"
      case binanceUSDM = "binance_usdm"
      case binanceCOINM = "binance_coinm"
      case bybit, okx, kraken, coinbase, bitstamp, hitbtc
    }

    /// How messages are read where there is no preset.
    public enum Format: String, Sendable, CaseIterable { case csv, json }

    /// In logs, metrics and `/v1/status`: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`, never `ingest`.
    public var name: String
    /// `ws://` or `wss://`. With a preset nil means the venue's own address, without one it is set.
    public var url: String?
    public var preset: Preset?
    /// Means nothing with a preset.
    public var format = Format.csv
    /// What is subscribed to. A csv feed has exactly one. A json feed may have none: then it takes every symbol.
    public var symbols: [Symbol] = []
    public var timestamp = TimestampUnit.auto
    public var allowNonpositivePrice = false
    /// Whether trade ids have no holes, so that a hole is a gap. A preset knows its venue.
    public var contiguousIds = false
    /// A socket without a message for so long is dialled again; 0 = never.
    public var silence: Milliseconds = 60_000
    /// Messages sent after connecting. They may hold a key.
    public var subscribe: [Secret] = []
    /// Path of a private authority's certificate (PEM); nil = the system's.
    public var ca: String?
    public var history: History?
    /// Set exactly when `format` is `json` and there is no preset.
    public var json: JSON?
    public var heartbeat: Heartbeat?

    public init(name: String) { self.name = name }

    /// A symbol of a feed.
    public struct Symbol: Sendable, Equatable {
      /// In the venue's spelling.
      public var venue: String
      /// Of the series: `[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}`.
      public var name: String
      /// The assets, where the name does not tell them.
      public var base: String?
      public var quote: String?

      public init(venue: String, name: String? = nil, base: String? = nil, quote: String? = nil) {
        self.venue = venue
        self.name = name ?? venue
        self.base = base
        self.quote = quote
      }
    }

    /// Where gaps and incomplete candles are filled from.
    public struct History: Sendable, Equatable {
      public enum Format: String, Sendable, CaseIterable {
        case zxkline, candled, binance
        case binanceCOINM = "binance_coinm"
        case bybit, okx, kraken, coinbase, bitstamp, hitbtc
      }

      /// `http://` or `https://`.
      public var url: String
      public var format = Format.zxkline
      /// Whether a candle that the source leaves out had no ticks.
      public var omitsEmpty = false
      /// Path of a private authority's certificate (PEM); nil = the system's.
      public var ca: String?

      public init(url: String) { self.url = url }
    }

    /// Where a JSON message holds a trade. Paths are of the trade; what is not found there is looked up from the top of
    /// the message.
    public struct JSON: Sendable, Equatable {
      /// The array of trades in a message, from its top; nil = the message is a trade, or an array of them.
      public var trades: FieldPath?
      /// nil = the feed's only symbol.
      public var symbol: FieldPath?
      public var time: FieldPath
      public var price: FieldPath
      public var volume: FieldPath?
      public var id: FieldPath?
      public var side: FieldPath?
      /// The value of `side` that says that the taker bought.
      public var buy = "buy"

      public init(time: FieldPath, price: FieldPath) {
        self.time = time
        self.price = price
      }
    }

    /// What keeps a connection open.
    public struct Heartbeat: Sendable, Equatable {
      public var every: Milliseconds
      /// It may hold a key.
      public var send: Secret

      public init(every: Milliseconds, send: Secret) {
        self.every = every
        self.send = send
      }
    }
  }
}
