import CandleCore

/// Everything a user can set in `candled.yaml`; each property is a key there, in snake case, with the default it has
/// here.
///
/// `load(path:)` and `parse(text:file:)` read and check it; `reference()` and `example(of:)` describe it. Times are
/// milliseconds, sizes are bytes.
public struct Configuration: Sendable, Equatable {
  /// Where HTTP and WebSocket are served.
  public var listen = Listen(host: "127.0.0.1", port: 8787)
  /// Path of the SQLite file.
  public var database = "candles.db"
  /// In the order of their length, each once, at least one.
  public var timeframes: [Timeframe] = [.M1, .M5, .M15]
  public var settlement = Settlement()
  public var clock = Clock()
  public var stream = Stream()
  public var ingest = Ingest()
  public var durability = Durability.process
  /// How long the candles of a timeframe are kept. Holds configured timeframes only, and never 0: what is not in it is
  /// kept forever.
  public var retention: [Timeframe: Milliseconds] = [:]
  public var journal = Journal()
  public var limits = Limits()
  /// Serves https and wss; nil = plain http and ws.
  public var tls: TLS?
  public var indicators = Indicators()
  /// Each has a name of its own.
  public var feeds: [Feed] = []

  /// Every key at its default.
  public init() {}

  /// The rules of settlement, as the settler wants them.
  public var settlementRules: SettlementRules {
    SettlementRules(
      timeframes: timeframes, grace: settlement.grace, correctionWindow: settlement.correctionWindow,
      emptyCandles: settlement.emptyCandles, flatLimit: Int32(clamping: settlement.flatLimit),
      maxAhead: clock.source == .feed ? nil : settlement.maxAhead)
  }
}

extension Configuration {
  /// An address to listen on.
  public struct Listen: Sendable, Equatable, CustomStringConvertible {
    /// An IPv4 address, an IPv6 address without its brackets, or a name.
    public var host: String
    /// 0 = any free port.
    public var port: UInt16

    public init(host: String, port: UInt16) {
      self.host = host
      self.port = port
    }

    /// `host:port`, an IPv6 address in brackets.
    public var description: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
  }

  /// What an acknowledged tick survives.
  public enum Durability: String, Sendable, CaseIterable {
    /// The end of the process, `kill -9` included.
    case process
    /// Loss of power too.
    case power
  }

  /// Files of the server's certificate.
  public struct TLS: Sendable, Equatable {
    /// Path of the certificate chain (PEM).
    public var certificate: String
    /// Path of the private key (PEM).
    public var key: String

    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }
}
