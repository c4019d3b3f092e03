/// What a client connection is after.
final class Dial {
  enum Purpose {
    case webSocket
    case get(maxBody: Int, completion: (Result<HTTPClientResponse, NetError>) -> Void)
  }

  let url: ParsedURL
  let headers: [(name: String, value: String)]
  let authority: String?
  let maxMessage: Int
  let purpose: Purpose
  /// Numeric addresses not tried yet.
  var addresses: ArraySlice<String> = []
  /// The address being tried.
  var address = ""
  /// The connection stood far enough to send the request.
  var isRequestSent = false
  /// Why OpenSSL refused the certificate: an `X509_V_ERR_` number and its text.
  var certificateFault: (code: Int32, text: String)?
  var outbox: [[UInt8]] = []
  var outboxBytes = 0
  var status = 0
  var body: [UInt8] = []

  init(
    url: ParsedURL, headers: [(name: String, value: String)], authority: String?, maxMessage: Int, purpose: Purpose
  ) {
    self.url = url
    self.headers = headers
    self.authority = authority
    self.maxMessage = maxMessage
    self.purpose = purpose
  }

  var operation: NetError.Operation {
    if case .webSocket = purpose { .connect } else { .request }
  }
}

/// The parts of a `ws`, `wss`, `http` or `https` URL.
struct ParsedURL {
  let isSecure: Bool
  let host: String
  let port: Int
  /// Path and query, as given.
  let target: String
  let isIPv6Literal: Bool
  /// For errors and logs: no user information, no query.
  let subject: String

  var defaultPort: Int { isSecure ? 443 : 80 }
  /// The `Host` header.
  var authority: String {
    let name = isIPv6Literal ? "[\(host)]" : host
    return port == defaultPort ? name : "\(name):\(port)"
  }

  /// - Parameters:
  ///   - plain: scheme without TLS (`ws`, `http`).
  ///   - secure: scheme with it.
  init?(_ text: String, plain: String, secure: String) {
    guard let schemeEnd = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<schemeEnd.lowerBound].lowercased()
    guard scheme == plain || scheme == secure else { return nil }
    isSecure = scheme == secure
    // A line break or blank would let a configuration write header lines of its own.
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
    let rest = text[schemeEnd.upperBound...]
    let hostEnd = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
    var place = rest[..<hostEnd]
    if let at = place.lastIndex(of: "@") { place = place[place.index(after: at)...] }
    let portText: Substring
    if place.first == "[" {
      guard let bracket = place.firstIndex(of: "]") else { return nil }
      host = String(place[place.index(after: place.startIndex)..<bracket])
      isIPv6Literal = true
      let after = place[place.index(after: bracket)...]
      guard after.isEmpty || after.first == ":" else { return nil }
      portText = after.dropFirst()
    } else {
      let parts = place.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2, let name = parts.first else { return nil }
      host = String(name)
      isIPv6Literal = false
      portText = parts.count == 2 ? parts[1] : ""
    }
    let chosen = portText.isEmpty ? (scheme == secure ? 443 : 80) : Int(portText) ?? 0
    guard !host.isEmpty, (1...65_535).contains(chosen) else { return nil }
    port = chosen
    var path = String(rest[hostEnd...].prefix { $0 != "#" })
    if path.first != "/" { path = "/" + path }
    target = path
    let shown = isIPv6Literal ? "[\(host)]" : host
    subject = "\(scheme)://\(shown):\(chosen)\(path.prefix { $0 != "?" })"
  }
}

extension String {
  fileprivate func firstRange(of mark: String) -> Range<String.Index>? {
    var at = startIndex
    while at < endIndex {
      if self[at...].hasPrefix(mark) { return at..<index(at, offsetBy: mark.count) }
      at = index(after: at)
    }
    return nil
  }
}
