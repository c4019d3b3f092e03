/// A request to become a WebSocket, before any answer was sent.
public struct UpgradeRequest: Sendable {
  /// The path, percent-decoded, with `//`, `/./` and `/../` resolved. The library does this; the raw text is gone.
  public let path: String
  /// The query without `?`, in percent-encoded form; `&` stands between parameters, and only there.
  /// Equivalent to what was sent, though not byte for byte (`+` comes as `%20`).
  public let query: String
  public let origin: String?
  public let authorization: String?
  public let userAgent: String?
  public let peer: PeerAddress
}

/// What becomes of an `UpgradeRequest`.
public enum UpgradeDecision: Sendable {
  /// Sizes the receive buffer of the connection: see `ConnectionRole`.
  case accept(role: ConnectionRole)
  /// Answered as plain HTTP; the WebSocket never comes to be. `status` is 300 ... 599.
  case reject(status: Int, body: [UInt8], contentType: String, headers: [HTTPHeader] = [])
}

public typealias HTTPHeader = (name: String, value: String)

public enum ConnectionRole: Hashable, Sendable {
  /// Sends little: receives into 1 KiB.
  case subscriber
  /// Sends much: receives into 64 KiB.
  case producer

  var receiveBuffer: Int { self == .subscriber ? 1 << 10 : 64 << 10 }
}

/// A plain HTTP request. Bodies are not read; a request that has one is answered and its connection closed.
public struct HTTPRequest: Sendable {
  public enum Method: String, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case options = "OPTIONS"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case connect = "CONNECT"
    case other = ""
  }

  public let method: Method
  /// As `UpgradeRequest.path`.
  public let path: String
  /// As `UpgradeRequest.query`.
  public let query: String
  public let origin: String?
  public let authorization: String?
  public let userAgent: String?
  public let host: String?
  public let acceptEncoding: String?
  public let ifNoneMatch: String?
  public let peer: PeerAddress
}

/// The answer to an `HTTPRequest`. `Content-Length` is added, but to 304; for HEAD it counts `body`, which is then not sent.
public struct HTTPResponse: Sendable {
  public var status: Int
  public var contentType: String
  /// Further headers; characters that would break out of a header line are dropped.
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]

  public init(status: Int = 200, contentType: String, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.headers = headers
    self.body = body
  }
}

/// What `EventLoop.get` brings back. Any status is a success here.
public struct HTTPClientResponse: Sendable {
  public let status: Int
  public let body: [UInt8]
}

/// Where a client WebSocket goes.
public struct WebSocketTarget: Sendable {
  /// `ws://host[:port]/path?query` or `wss://…`; an IPv6 address stands in brackets.
  public var url: String
  /// Sent with the handshake, after `User-Agent`.
  public var headers: [(name: String, value: String)] = []
  /// PEM file of the authority to trust **instead of** the system's; `nil`: the system's.
  public var authority: String? = nil
  /// From `connect` until the WebSocket is open, name look-up included; at most 60 s.
  public var timeout: Duration = .seconds(10)
  /// Longest message taken; `nil`: as the server side.
  public var maxMessage: Int? = nil

  public init(url: String) { self.url = url }
}
