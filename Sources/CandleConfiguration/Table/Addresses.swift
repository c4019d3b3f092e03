import Glibc

/// Forms of network addresses.
enum Addresses {
  /// `127.0.0.1:8787`, `[::1]:8787`, `localhost:8787`.
  static func listen(_ text: String) -> Configuration.Listen? {
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
      let port = port(text[text.utf8.index(after: colon)...])
    else {
      return nil
    }
    let host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      let address = String(host.dropFirst().dropLast())
      return isIPv6(address) ? Configuration.Listen(host: address, port: port) : nil
    }
    return isHost(host) ? Configuration.Listen(host: host, port: port) : nil
  }

  /// `scheme://host[:port][/path][?query]`, without spaces, fragment or user.
  static func isURL(_ text: String, schemes: [String]) -> Bool {
    guard (1...2_048).contains(text.utf8.count), text.utf8.allSatisfy({ (33...126).contains($0) && $0 != 35 }) else {
      return false
    }
    guard let scheme = schemes.first(where: { text.hasPrefix($0 + "://") }) else { return false }
    let rest = text.utf8.dropFirst(scheme.utf8.count + 3)
    return isAuthority(Substring(rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }))
  }

  /// As a browser sends it: `https://app.example.com`, with a port if it is not the scheme's own.
  static func isOrigin(_ text: String) -> Bool {
    guard text.utf8.allSatisfy({ (33...126).contains($0) }) else { return false }
    let schemes = ["https", "http", "chrome-extension", "moz-extension", "app", "capacitor"]
    guard let scheme = schemes.first(where: { text.hasPrefix($0 + "://") }) else { return false }
    return isAuthority(Substring(text.utf8.dropFirst(scheme.utf8.count + 3)))
  }

  /// Without what may be a key: the query, and the user before the host.
  static func masked(_ text: String) -> String {
    var shown = text
    if let query = shown.firstIndex(of: "?") { shown = shown[..<query] + "?…" }
    if let user = shown.lastIndex(of: "@") { shown = "…" + shown[user...] }
    return shown
  }

  private static func isAuthority(_ text: Substring) -> Bool {
    if text.hasPrefix("[") {
      guard let close = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return false }
      guard isIPv6(String(text[text.index(after: text.startIndex)..<close])) else { return false }
      let rest = text[text.utf8.index(after: close)...]
      return rest.isEmpty || (rest.hasPrefix(":") && (port(rest.dropFirst()) ?? 0) > 0)
    }
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return isHost(String(text)) }
    return isHost(String(text[..<colon])) && (port(text[text.utf8.index(after: colon)...]) ?? 0) > 0
  }

  private static func port(_ text: Substring) -> UInt16? {
    (1...5).contains(text.utf8.count) && text.utf8.allSatisfy { (48...57).contains($0) } ? UInt16(text) : nil
  }

  /// An IPv4 address or a name. A name that ends in a number is an address that someone mistyped.
  private static func isHost(_ text: String) -> Bool {
    guard (1...253).contains(text.utf8.count) else { return false }
    let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isName = labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != 45 && label.last != 45
        && label.allSatisfy { Names.isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }
    guard isName, let last = labels.last else { return false }
    guard last.allSatisfy({ (48...57).contains($0) }) else { return true }
    var address = in_addr()
    return inet_pton(AF_INET, text, &address) == 1
  }

  private static func isIPv6(_ text: String) -> Bool {
    var address = in6_addr()
    return !text.utf8.contains(0) && inet_pton(AF_INET6, text, &address) == 1
  }
}

extension ValueForm where Value == Configuration.Listen {
  static var listen: ValueForm {
    .text(
      "address", reason: "is no address", expected: #"127.0.0.1:8787, "[::1]:8787" or localhost:8787"#,
      parse: Addresses.listen, write: \.description)
  }
}

extension ValueForm where Value == String {
  /// Its query and its user may be a key: problems do not show them.
  static func url(_ schemes: String...) -> ValueForm {
    let expected = "an address like " + Spelling.alternatives(schemes.map { $0 + "://host/path" })
    return .text(
      Spelling.alternatives(schemes.map { $0 + "://" }) + " address", reason: "is no such address",
      expected: expected, mask: Addresses.masked, parse: { Addresses.isURL($0, schemes: schemes) ? $0 : nil },
      write: { $0 })
  }

  static var origin: ValueForm {
    .text(
      "origin", reason: "is no origin", expected: "a scheme, a host and perhaps a port, like https://app.example.com",
      parse: { Addresses.isOrigin($0) ? $0 : nil }, write: { $0 })
  }
}
