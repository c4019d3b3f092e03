import CLibwebsockets
import Glibc

/// The library's tables that must outlive the context: protocols and the policy that turns its own pings off.
final class ProtocolTable {
  let entries: UnsafeMutablePointer<lws_protocols>
  let policy: UnsafeMutablePointer<lws_retry_bo_t>
  private let name: UnsafeMutablePointer<CChar>
  static let receiveBuffer = 64 << 10

  init() {
    name = strdup("candled")
    entries = .allocate(capacity: 2)
    entries.initialize(repeating: lws_protocols(), count: 2)
    entries[0].name = UnsafePointer(name)
    entries[0].callback = serviceCallback
    entries[0].rx_buffer_size = Self.receiveBuffer
    // Without it a write longer than the receive buffer goes to the library's unbounded backlog.
    entries[0].tx_packet_size = EventLoop.writeCapacity + 64
    policy = .allocate(capacity: 1)
    policy.initialize(to: lws_retry_bo_t())
  }

  private var kept: [UnsafeMutablePointer<CChar>] = []

  /// A C string that lives as long as the table: a vhost keeps the pointers it was made with.
  func keep(_ text: String?) -> UnsafePointer<CChar>? {
    guard let text, let copy = strdup(text) else { return nil }
    kept.append(copy)
    return UnsafePointer(copy)
  }

  deinit {
    for text in kept { free(text) }
    entries.deallocate()
    policy.deallocate()
    free(name)
  }
}

extension EventLoop {
  func createContext() throws(NetError) {
    let subject = configuration.host ?? "-"
    if configuration.polling == .uv, uv == nil {
      throw NetError(.listen, subject, .unavailable, "libuv.so.1 is not installed")
    }
    makeContext()
    if context == nil, configuration.polling == .best, uv != nil {
      uv = nil
      makeContext()
    }
    guard context != nil else {
      let plugin = configuration.polling == .uv ? "; is libwebsockets-evlib-uv installed?" : ""
      throw NetError(.listen, subject, .unavailable, "no library context" + plugin)
    }
  }

  private func makeContext() {
    var info = lws_context_creation_info()
    info.options = UInt64(LWS_SERVER_OPTION_EXPLICIT_VHOSTS) | UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT)
    if let uv {
      info.options |= UInt64(LWS_SERVER_OPTION_LIBUV)
      info.foreign_loops = uv.list
    }
    info.user = Unmanaged.passUnretained(self).toOpaque()
    info.pt_serv_buf_size = UInt32(ProtocolTable.receiveBuffer + 4096)
    info.max_http_header_data = UInt16(clamping: max(1_024, configuration.maxHead))
    // Handshake and answer times are cut by `arm`; these are the library's own, for what is left.
    info.timeout_secs = 60
    info.connect_timeout_secs = 60
    info.timeout_secs_ah_idle = 60
    info.gid = -1
    info.uid = -1
    info.pcontext = contextCell
    contextCell.pointee = lws_create_context(&info)
  }

  /// In a foreign loop the library needs some iterations to close its handles.
  func destroyContext() {
    guard let context else { return }
    lws_context_destroy(context)
    guard let uv else {
      contextCell.pointee = nil
      return
    }
    for _ in 0..<1_000 where contextCell.pointee != nil { uv.pass(waits: false) }
    if let left = contextCell.pointee { lws_context_destroy(left) }
    for _ in 0..<10 { uv.pass(waits: false) }
    contextCell.pointee = nil
  }

  func createVhosts() throws(NetError) {
    clientVhost = createVhost(name: "clients", trust: .nobody)
    guard let clientVhost else { throw NetError(.connect, "-", .unavailable, "no client vhost") }
    var descriptor = lws_sock_file_fd_type()
    descriptor.filefd = timer.descriptor
    guard lws_adopt_descriptor_vhost(clientVhost, LWS_ADOPT_RAW_FILE_DESC, descriptor, "candled", nil) != nil else {
      throw NetError(.listen, "-", .exhausted, "no descriptor for the timer")
    }
    timer.isAdopted = true
    if let host = configuration.host { try listen(host) }
    if configuration.idlePing != nil { nextPingSweep = LoopClock.now() + 1_000_000_000 }
  }

  /// Whose certificates a client believes.
  enum Trust {
    /// For sockets without TLS.
    case nobody
    case system
    /// A PEM file instead of the system's.
    case authority(String)
  }

  /// A vhost that listens nowhere.
  func createVhost(name: String, trust: Trust) -> OpaquePointer? {
    var info = vhostInfo()
    info.port = CLWS_PORT_NO_LISTEN
    var authority: String?
    if case .authority(let file) = trust { authority = file }
    if case .system = trust { info.options &= ~UInt64(LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS) }
    info.vhost_name = protocols.keep(name)
    info.client_ssl_ca_filepath = protocols.keep(authority)
    info.alpn = protocols.keep("http/1.1")
    return lws_create_vhost(context, &info)
  }

  private func vhostInfo() -> lws_context_creation_info {
    var info = lws_context_creation_info()
    info.protocols = UnsafePointer(protocols.entries)
    info.retry_and_idle_policy = UnsafePointer(protocols.policy)
    info.options =
      UInt64(LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT) | UInt64(LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS)
    info.keepalive_timeout = Int32(clamping: max(1, configuration.keepAlive.components.seconds))
    info.connect_timeout_secs = 60
    return info
  }

  private func listen(_ host: String) throws(NetError) {
    let subject = host.contains(":") ? "[\(host)]:\(configuration.port)" : "\(host):\(configuration.port)"
    try ListenProbe.check(host, configuration.port, subject)
    if let tls = configuration.tls {
      for path in [tls.certificate, tls.key] where access(path, R_OK) != 0 {
        throw NetError(.listen, subject, .badCertificate, "\(path): \(systemMessage(errno))")
      }
    }
    var info = vhostInfo()
    info.port = Int32(configuration.port)
    info.options |= UInt64(LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND)
    if !host.contains(":") { info.options |= UInt64(LWS_SERVER_OPTION_DISABLE_IPV6) }
    let isAny = host == "::" || host == "0.0.0.0"
    info.vhost_name = protocols.keep("server")
    info.iface = protocols.keep(isAny ? nil : host)
    info.ssl_cert_filepath = protocols.keep(configuration.tls?.certificate)
    info.ssl_private_key_filepath = protocols.keep(configuration.tls?.key)
    info.alpn = protocols.keep("http/1.1")
    guard let vhost = lws_create_vhost(context, &info) else {
      if let tls = configuration.tls {
        throw NetError(.listen, subject, .badCertificate, "\(tls.certificate), \(tls.key): not a usable pair")
      }
      throw NetError(.listen, subject, .addressInUse, "the port was taken")
    }
    listens(on: Int(lws_get_vhost_listen_port(vhost)))
  }
}

/// Binds for a moment to learn what is wrong with an address: the library only says that it failed.
enum ListenProbe {
  static func check(_ host: String, _ port: Int, _ subject: String) throws(NetError) {
    guard (0...65_535).contains(port) else { throw NetError(.listen, subject, .badAddress, "port out of range") }
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else {
      throw NetError(.listen, subject, .badAddress, "not a numeric address")
    }
    defer { freeaddrinfo(found) }
    let probe = socket(address.pointee.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard probe >= 0 else { throw NetError(.listen, subject, .exhausted, systemMessage(errno)) }
    defer { Glibc.close(probe) }
    var yes: Int32 = 1
    setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
    guard bind(probe, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0, Glibc.listen(probe, 1) == 0 else {
      let code = errno
      let cause: NetError.Cause =
        switch code {
        case EADDRINUSE: .addressInUse
        case EACCES, EPERM: .permissionDenied
        default: .addressNotAvailable
        }
      throw NetError(.listen, subject, cause, systemMessage(code))
    }
  }
}

func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }

/// C strings for the length of a call; `nil` stays `nil`.
func withCStrings<R>(_ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> R) -> R {
  let copies = texts.map { $0.flatMap { strdup($0) } }
  defer { for copy in copies { free(copy) } }
  return body(copies.map { UnsafePointer($0) })
}
