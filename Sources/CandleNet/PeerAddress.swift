import Glibc

/// The network address of a peer, without its port.
public struct PeerAddress: Hashable, Sendable {
  /// Numeric text, `192.0.2.1` or `2001:db8::1`; an IPv4 peer of a dual-stack socket is shown as IPv4.
  public let text: String
  /// The peer is on this machine: `127.0.0.0/8` or `::1`, mapped or not.
  public let isLoopback: Bool
  /// The peer reached a dual-stack IPv6 socket over IPv4 (`::ffff:192.0.2.1`).
  public let isMappedIPv4: Bool

  /// - Parameter text: the numeric address as the resolver prints it, with or without the `::ffff:` prefix.
  public init(text: String) {
    let prefix = "::ffff:"
    let mapped = text.hasPrefix(prefix) && text.contains(".")
    let plain = mapped ? String(text.dropFirst(prefix.count)) : text
    self.text = plain
    isMappedIPv4 = mapped
    isLoopback = plain == "::1" || plain.hasPrefix("127.")
  }

  /// The address of the peer of a connected socket; empty text if the socket has none any more.
  init(socket: Int32) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: 64)
    let named = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getpeername(socket, address, &length) == 0
          && getnameinfo(address, length, &host, 64, nil, 0, NI_NUMERICHOST) == 0
      }
    }
    self.init(text: named ? String(nulTerminated: host) : "")
  }
}

extension String {
  init(nulTerminated bytes: [CChar]) {
    self.init(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
