/// A file of the page as it goes out.
public struct PageAsset: Sendable, Equatable {
  /// As in the path: `main.js`.
  public let name: String
  public let contentType: String
  /// The file itself, for clients that take no gzip.
  public let plain: [UInt8]
  /// The same, compressed ahead of time (RFC 1952).
  public let gzip: [UInt8]

  /// The bytes for a client, and the value of `Content-Encoding` that goes with them; nil: none.
  /// - Parameter acceptEncoding: the header of the request.
  public func body(acceptEncoding: String?) -> (bytes: [UInt8], encoding: String?) {
    AcceptEncoding.takesGzip(acceptEncoding) ? (gzip, "gzip") : (plain, nil)
  }

  static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    default: "text/plain; charset=utf-8"
    }
  }
}

/// A file as the build wrote it: twice in base64.
struct EmbeddedFile: Sendable {
  let name: String
  let plain: StaticString
  let gzip: StaticString

  var asset: PageAsset {
    PageAsset(
      name: name, contentType: PageAsset.contentType(of: name), plain: Base64.decode(plain), gzip: Base64.decode(gzip))
  }
}
