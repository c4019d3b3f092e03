/// What a client says in `Accept-Encoding` (RFC 9110, section 12.5.3).
public enum AcceptEncoding {
  /// Whether gzip may be sent: named, or meant by `*`, and not with the weight 0. No header: no.
  public static func takesGzip(_ header: String?) -> Bool {
    var any = false
    for part in (header ?? "").split(separator: ",") {
      let fields = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
      guard let coding = fields.first else { continue }
      let weight = fields.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if coding == "gzip" || coding == "x-gzip" { return weight > 0 }
      if coding == "*" { any = weight > 0 }
    }
    return any
  }
}
