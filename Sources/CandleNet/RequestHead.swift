import CLibwebsockets

extension EventLoop {
  /// Copies the parts of a request out of the library's header table, which goes with the answer.
  func requestHead(_ connection: Connection, _ socket: OpaquePointer) -> HTTPRequest {
    let methods: [(lws_token_indexes, HTTPRequest.Method)] = [
      (WSI_TOKEN_GET_URI, .get), (WSI_TOKEN_HEAD_URI, .head), (WSI_TOKEN_OPTIONS_URI, .options),
      (WSI_TOKEN_POST_URI, .post), (WSI_TOKEN_PUT_URI, .put), (WSI_TOKEN_PATCH_URI, .patch),
      (WSI_TOKEN_DELETE_URI, .delete), (WSI_TOKEN_CONNECT, .connect),
    ]
    let found = methods.first { lws_hdr_total_length(socket, $0.0) > 0 }
    return HTTPRequest(
      method: found?.1 ?? .other, path: found.flatMap { header(socket, $0.0) } ?? "/", query: query(socket),
      origin: header(socket, WSI_TOKEN_ORIGIN), authorization: header(socket, WSI_TOKEN_HTTP_AUTHORIZATION),
      userAgent: header(socket, WSI_TOKEN_HTTP_USER_AGENT), host: header(socket, WSI_TOKEN_HOST),
      acceptEncoding: header(socket, WSI_TOKEN_HTTP_ACCEPT_ENCODING),
      ifNoneMatch: header(socket, WSI_TOKEN_HTTP_IF_NONE_MATCH), peer: connection.peer)
  }

  func header(_ socket: OpaquePointer, _ token: lws_token_indexes) -> String? {
    let length = Int(lws_hdr_total_length(socket, token))
    guard length > 0 else { return nil }
    var bytes = [CChar](repeating: 0, count: length + 2)
    let copied = lws_hdr_copy(socket, &bytes, Int32(length + 1), token)
    guard copied >= 0 else { return nil }
    // By its length: a decoded `%00` does not end it. (One at the very end is dropped by the library.)
    return String(decoding: bytes.prefix(Int(copied)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The library splits the query at `&` and decodes the pieces; encoded again they can be joined without ambiguity.
  private func query(_ socket: OpaquePointer) -> String {
    var parts: [String] = []
    var index: Int32 = 0
    while true {
      let length = lws_hdr_fragment_length(socket, WSI_TOKEN_HTTP_URI_ARGS, index)
      var bytes = [CChar](repeating: 0, count: Int(max(length, 0)) + 2)
      guard lws_hdr_copy_fragment(socket, &bytes, length + 1, WSI_TOKEN_HTTP_URI_ARGS, index) >= 0 else { break }
      parts.append(PercentEncoding.encode(bytes.prefix(Int(max(length, 0))).map { UInt8(bitPattern: $0) }))
      index += 1
    }
    return parts.joined(separator: "&")
  }
}

/// Percent-encoding of one query parameter, `=` left as it is.
enum PercentEncoding {
  static func encode(_ bytes: [UInt8]) -> String {
    let hex = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        out.append(byte)
      case _ where "-._~!$'()*,:@/?=".utf8.contains(byte): out.append(byte)
      default: out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
