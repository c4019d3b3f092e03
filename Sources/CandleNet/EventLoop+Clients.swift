import CLibwebsockets
import Glibc

extension EventLoop {
  /// Dials a WebSocket server. `clientOpened` or `clientFailed` follows, never from within this call.
  ///
  /// The name is looked up off the loop thread; its addresses are tried in order until one takes the connection.
  /// The certificate must be signed by a trusted authority and name the host.
  public func connect(_ target: WebSocketTarget) -> ConnectionID {
    let connection = Connection(id: newID(), stage: .dialling, peer: PeerAddress(text: ""))
    guard let url = ParsedURL(target.url, plain: "ws", secure: "wss") else {
      let subject = String(target.url.prefix { $0 != "?" }.prefix(200))
      connections[connection.id] = connection
      let name = connection.name
      post { [unowned self] in
        guard connections.removeValue(forKey: name.raw) != nil else { return }
        handler?.clientFailed(name, NetError(.connect, subject, .badAddress, "not a ws:// or wss:// URL"))
      }
      return name
    }
    connection.dial = Dial(
      url: url, headers: target.headers, authority: target.authority,
      maxMessage: target.maxMessage ?? configuration.maxMessage, purpose: .webSocket)
    begin(connection, within: target.timeout)
    return connection.name
  }

  /// Fetches a document over `http://` or `https://`, once, following redirects that stay secure.
  /// - Parameters:
  ///   - authority: PEM file of the authority to trust instead of the system's.
  ///   - timeout: from this call to the last byte, name look-up included; at most 60 s.
  ///   - maxBody: bytes; a longer body fails as `tooLarge`.
  ///   - completion: called once on the loop thread, after this call has returned.
  public func get(
    _ url: String, authority: String? = nil, timeout: Duration = .seconds(10), maxBody: Int = 16 << 20,
    headers: [(name: String, value: String)] = [],
    completion: @escaping (Result<HTTPClientResponse, NetError>) -> Void
  ) {
    let connection = Connection(id: newID(), stage: .dialling, peer: PeerAddress(text: ""))
    guard let parsed = ParsedURL(url, plain: "http", secure: "https") else {
      let subject = String(url.prefix { $0 != "?" }.prefix(200))
      let error = NetError(.request, subject, .badAddress, "not an http:// or https:// URL")
      let answer = LoopBound(completion)
      post { answer.value(.failure(error)) }
      return
    }
    connection.dial = Dial(
      url: parsed, headers: headers, authority: authority, maxMessage: maxBody,
      purpose: .get(maxBody: maxBody, completion: completion))
    begin(connection, within: timeout)
  }

  private func begin(_ connection: Connection, within timeout: Duration) {
    connections[connection.id] = connection
    arm(connection, within: min(timeout, .seconds(60)))
    guard let dial = connection.dial else { return }
    let name = connection.name
    if stopping != nil {
      later(name, .stopped, "the loop is stopping")
    } else if let authority = dial.authority, access(authority, R_OK) != 0 {
      later(name, .badAuthority, "\(authority): \(systemMessage(errno))")
    } else if NameLookup.isNumeric(dial.url.host) {
      let host = dial.url.host
      post { [unowned self] in resolved(name, .success([host])) }
    } else {
      lookUp(dial.url.host, for: name)
    }
  }

  private func later(_ name: ConnectionID, _ cause: NetError.Cause, _ detail: String) {
    post { [unowned self] in
      guard let connection = connections[name.raw], let dial = connection.dial else { return }
      fail(connection, cause, detail, dial: dial)
    }
  }

  private func lookUp(_ host: String, for name: ConnectionID) {
    guard lookupsRunning < configuration.maxLookups else {
      lookupsWaiting.append((host, name))
      return
    }
    lookupsRunning += 1
    NameLookup.start(host) { [weak self] result in
      guard let self else { return }
      post { [unowned self] in
        lookupsRunning -= 1
        if !lookupsWaiting.isEmpty {
          let (host, name) = lookupsWaiting.removeFirst()
          lookUp(host, for: name)
        }
        resolved(name, result)
      }
    }
  }

  private func resolved(_ name: ConnectionID, _ result: Result<[String], NameLookup.Failure>) {
    guard let connection = connections[name.raw], connection.stage == .dialling, let dial = connection.dial else {
      return
    }
    switch result {
    case .success(let addresses):
      dial.addresses = addresses[...]
      dialNext(connection, dial)
    case .failure(let failure): fail(connection, .nameNotFound, failure.detail, dial: dial)
    }
  }

  private func dialNext(_ connection: Connection, _ dial: Dial) {
    guard let address = dial.addresses.popFirst() else { return }
    dial.address = address
    guard let vhost = vhost(for: dial) else {
      fail(connection, dial.authority == nil ? .unavailable : .badAuthority, "no TLS context for it", dial: dial)
      return
    }
    var isGet = false
    if case .get = dial.purpose { isGet = true }
    var info = lws_client_connect_info()
    info.context = context
    info.vhost = vhost
    info.port = Int32(dial.url.port)
    info.ssl_connection = dial.url.isSecure ? Int32(LCCSCF_USE_SSL.rawValue) : 0
    info.ietf_version_or_minus_one = -1
    info.userdata = UnsafeMutableRawPointer(bitPattern: UInt(connection.id))
    info.retry_and_idle_policy = UnsafePointer(protocols.policy)
    let texts = [address, dial.url.target, dial.url.authority, "http/1.1", "candled", isGet ? "GET" : nil]
    let socket = withCStrings(texts) { texts in
      info.address = texts[0]
      info.path = texts[1]
      info.host = texts[2]
      info.alpn = texts[3]
      info.local_protocol_name = texts[4]
      info.method = texts[5]
      return lws_client_connect_via_info(&info)
    }
    // A dial that failed at once has been reported by the callback; its socket is gone.
    if let socket {
      if connection.dial != nil, connections[connection.id] === connection { connection.socket = socket }
    } else if connections[connection.id] === connection, connection.dial === dial, dial.addresses.isEmpty {
      fail(connection, .unreachable, "the connection could not be begun", dial: dial)
    }
  }

  /// The system's trusted certificates take tens of milliseconds to read, so they are when they are needed first.
  private func vhost(for dial: Dial) -> OpaquePointer? {
    guard dial.url.isSecure else { return clientVhost }
    guard let authority = dial.authority else {
      if trustingVhost == nil { trustingVhost = createVhost(name: "trusting", trust: .system) }
      return trustingVhost
    }
    if let made = authorityVhosts[authority] { return made }
    guard authorityVhosts.count < configuration.maxAuthorities else { return nil }
    let made = createVhost(name: "authority-\(authorityVhosts.count)", trust: .authority(authority))
    authorityVhosts[authority] = made
    return made
  }

  /// Reports a client that did not come to be, once.
  func fail(_ connection: Connection, _ cause: NetError.Cause, _ detail: String, dial: Dial) {
    guard connection.dial != nil else { return }
    connection.dial = nil
    connection.isReported = true
    if connection.socket == nil { forget(connection) }
    let error = NetError(dial.operation, dial.url.subject, cause, detail)
    switch dial.purpose {
    case .webSocket: handler?.clientFailed(connection.name, error)
    case .get(_, let completion): completion(.failure(error))
    }
  }

  /// The library says that a dial failed. Another address may still do.
  func dialFailed(_ connection: Connection, _ socket: OpaquePointer, _ detail: String) {
    guard let dial = connection.dial else { return }
    let fault = DialFault(detail: detail, status: Int(lws_http_client_http_response(socket)), dial: dial)
    // The library frees this socket after the callback; from here on it must not be touched.
    connection.socket = nil
    if fault.isOfAddress, !dial.addresses.isEmpty {
      let name = connection.name
      post { [unowned self] in
        if let connection = connections[name.raw], let dial = connection.dial { dialNext(connection, dial) }
      }
      return
    }
    fail(connection, fault.cause, fault.detail, dial: dial)
  }

  /// OpenSSL found a fault in a certificate; the library's own message, which follows, does not say which.
  func certificateRefused(_ user: UnsafeMutableRawPointer?, _ code: Int32) {
    guard let user, let dial = connections[UInt64(UInt(bitPattern: user))]?.dial else { return }
    let text = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? ""
    dial.certificateFault = (code, text)
  }
}

/// Carries a closure of the loop thread through the inbox back to the same thread.
struct LoopBound<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
