/// The live chart page: its files, which are in the binary, and the headers they go out with.
public enum LivePage {
  /// Made from the content of all files. It is in the path of every asset, so that these may be kept for ever.
  public static let version = EmbeddedPage.version

  private static let assets: [String: PageAsset] = Dictionary(
    uniqueKeysWithValues: EmbeddedPage.files.map { ($0.name, $0.asset) })

  public static var names: [String] { assets.keys.sorted() }

  /// The document at `/`.
  public static var document: PageAsset { assets["index.html"]! }

  /// What lies at `/assets/VERSION/NAME`; nil for any other path, an older version too.
  public static func asset(path: String) -> PageAsset? {
    let prefix = "/assets/\(version)/"
    guard path.hasPrefix(prefix) else { return nil }
    let name = String(path.dropFirst(prefix.count))
    return name == "index.html" ? nil : assets[name]
  }

  /// What the document may load and connect to: this daemon, and nothing else.
  /// - Parameter host: the `Host` header. `'self'` does not cover `ws:` in every browser, so the sockets of the host are
  ///   named; a host that is none is left out.
  public static func contentSecurityPolicy(host: String?) -> String {
    var sockets = ""
    if let host, !host.isEmpty, host.utf8.allSatisfy(isHost) { sockets = " ws://\(host) wss://\(host)" }
    return
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'\(sockets); "
      + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
  }

  private static func isHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: ".-:[]_".utf8.contains(byte)
    }
  }
}
