/// Where to listen, what to speak, and every bound of the loop. All values have usable defaults.
public struct NetConfiguration: Sendable {
  /// Numeric address to listen on: `127.0.0.1`, `0.0.0.0`, `::1`, `::` (IPv6 and IPv4). `nil` listens nowhere (clients only).
  public var host: String? = "127.0.0.1"
  /// 0 ... 65535; 0 lets the system choose, see `EventLoop.boundPort`.
  public var port: Int = 0
  /// Serves `wss` and `https` instead of `ws` and `http`.
  public var tls: TLSIdentity? = nil

  /// Longest message taken, in bytes, over all its fragments. A longer one closes its connection with 1009.
  public var maxMessage: Int = 1 << 20
  /// Server connections at one time, WebSocket and HTTP together. One more is closed right after accept.
  public var maxConnections: Int = 20_000
  /// The same per peer address.
  public var maxConnectionsPerAddress: Int = 10_000
  /// From accept (TLS included) until the whole request head is there; then the socket is cut.
  public var handshakeTimeout: Duration = .seconds(10)
  /// Bytes of a request's head, line and headers together, at most 65,535. A longer one ends its connection without an answer.
  public var maxHead: Int = 16 << 10
  /// How long an HTTP connection without a request stays open, whole seconds.
  public var keepAlive: Duration = .seconds(30)
  /// How long `LoopHandler.request` may take to answer, and how long the peer may take to read 64 KiB of the answer.
  public var responseTimeout: Duration = .seconds(60)
  /// Server connections that were silent for `interval` get a ping; those still silent `timeout` later are cut. `nil`: none.
  public var idlePing: IdlePing? = IdlePing(interval: .seconds(30), timeout: .seconds(20))

  /// Bytes of unsent text that `EventLoop.send` holds per client connection.
  public var maxOutbox: Int = 256 << 10
  /// Private authorities (`ca:` files) in use at one time; each costs one TLS context.
  public var maxAuthorities: Int = 32
  /// Name look-ups running at one time, each on a thread of its own; more wait.
  public var maxLookups: Int = 8
  /// Sent as `User-Agent` by the clients.
  public var userAgent: String = "candled"

  /// How the loop waits for sockets.
  public var polling: Polling = .best
  /// Warnings and errors of the library: its level bit (1 error, 2 warning) and one line of text without a newline.
  /// Called on the loop thread. Process-wide: the last loop made wins. Nothing is ever printed.
  public var log: (@Sendable (Int, String) -> Void)? = nil

  public init() {}

  public struct TLSIdentity: Hashable, Sendable {
    /// Path of a PEM file: the certificate, then its chain.
    public var certificate: String
    /// Path of a PEM file: the private key.
    public var key: String

    public init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  public struct IdlePing: Hashable, Sendable {
    /// Silence before a ping, at least one second; checked once a second.
    public var interval: Duration
    /// Silence after the ping before the connection is cut.
    public var timeout: Duration

    public init(interval: Duration, timeout: Duration) {
      self.interval = interval
      self.timeout = timeout
    }
  }

  public enum Polling: Hashable, Sendable {
    /// `poll(2)`: nothing more to install. Each pass costs time for every socket: with 2,000 idle ones about 0.4 ms.
    case poll
    /// `epoll` through the plugin of the package `libwebsockets-evlib-uv`: the number of idle sockets costs nothing.
    case uv
    /// `uv` where the plugin is installed, else `poll`.
    case best
  }
}
