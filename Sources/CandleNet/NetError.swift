/// What went wrong on the network: operation, subject, cause, and words to act on.
public struct NetError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Operation: String, Sendable {
    case listen, connect, request
  }

  public enum Cause: Hashable, Sendable {
    case addressInUse
    case addressNotAvailable
    case permissionDenied
    /// The URL, host or port cannot be read.
    case badAddress
    /// The server's certificate or key file is missing, unreadable, or the two do not fit.
    case badCertificate
    /// The file of a private certificate authority is missing or unreadable.
    case badAuthority
    case nameNotFound
    case refused
    case unreachable
    case timedOut
    /// The peer's certificate is not signed by a trusted authority, or has expired.
    case untrusted
    /// The peer's certificate is for another host name.
    case wrongHost
    /// Another failure of the TLS handshake.
    case tls
    /// The peer answered the handshake with this HTTP status instead of 101.
    case rejected(status: Int)
    /// The peer ended the connection, or answered with something that is no HTTP.
    case closedByPeer
    /// The answer is longer than the caller allows.
    case tooLarge
    /// A limit of this process: connections, descriptors, outstanding requests.
    case exhausted
    /// The loop is stopping.
    case stopped
    /// The event library asked for is not installed, or the context cannot be created.
    case unavailable
  }

  public let operation: Operation
  /// The address or URL concerned, without user information and query (which may hold tokens).
  public let subject: String
  public let cause: Cause
  /// One sentence for a log: what the system or the library said.
  public let detail: String

  public init(_ operation: Operation, _ subject: String, _ cause: Cause, _ detail: String) {
    self.operation = operation
    self.subject = subject
    self.cause = cause
    self.detail = detail
  }

  /// A fixed short form for metrics: one of a small set of words, never text from outside.
  public var shortForm: String {
    switch cause {
    case .addressInUse: "address_in_use"
    case .addressNotAvailable: "address_not_available"
    case .permissionDenied: "permission_denied"
    case .badAddress: "bad_address"
    case .badCertificate: "bad_certificate"
    case .badAuthority: "bad_authority"
    case .nameNotFound: "name_not_found"
    case .refused: "refused"
    case .unreachable: "unreachable"
    case .timedOut: "timed_out"
    case .untrusted: "untrusted"
    case .wrongHost: "wrong_host"
    case .tls: "tls"
    case .rejected(let status): "http_\(status / 100)xx"
    case .closedByPeer: "closed_by_peer"
    case .tooLarge: "too_large"
    case .exhausted: "exhausted"
    case .stopped: "stopped"
    case .unavailable: "unavailable"
    }
  }

  public var description: String { "\(operation.rawValue) \(subject): \(shortForm) (\(detail))" }
}
