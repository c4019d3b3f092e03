import CandleNet
import CandlePage
import CandleWire

extension Daemon {
  /// Answers what belongs to the live page; false for any other path.
  ///
  /// No token is asked for: the files are the same everywhere and hold no data. The page asks its reader for one.
  func servePage(_ r: RequestID, _ request: HTTPRequest) -> Bool {
    guard request.method == .get || request.method == .head else { return false }
    if request.path == "/" {
      serve(LivePage.document, r, request, caching: "no-cache")
      return true
    }
    guard request.path.hasPrefix("/assets/") else { return false }
    if let asset = LivePage.asset(path: request.path) {
      serve(asset, r, request, caching: "public, max-age=31536000, immutable")
    } else {
      fail(r, .notFound)
    }
    return true
  }

  private func serve(_ asset: PageAsset, _ r: RequestID, _ request: HTTPRequest, caching: String) {
    let (bytes, encoding) = asset.body(acceptEncoding: request.acceptEncoding)
    // The forms of one file are different representations (RFC 9110, section 8.8.3).
    let tag = "\"\(LivePage.version)\(encoding.map { "-" + $0 } ?? "")\""
    var headers: [(name: String, value: String)] = [
      ("Cache-Control", caching), ("ETag", tag), ("Vary", "Accept-Encoding"),
      ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
      ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
      ("Content-Security-Policy", LivePage.contentSecurityPolicy(host: request.host)),
    ]
    if let known = request.ifNoneMatch, known == "*" || known.contains(tag) {
      return loop.respond(r, HTTPResponse(status: 304, contentType: "", headers: headers, body: []))
    }
    if let encoding { headers.append(("Content-Encoding", encoding)) }
    loop.respond(r, HTTPResponse(contentType: asset.contentType, headers: headers, body: bytes))
  }
}
