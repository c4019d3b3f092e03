/// The parameters of a request, percent-decoded; of a doubled one the first.
public struct QueryParameters: Sendable, Equatable {
  public let pairs: [(name: String, value: String)]

  public static func == (a: QueryParameters, b: QueryParameters) -> Bool {
    a.pairs.count == b.pairs.count && zip(a.pairs, b.pairs).allSatisfy { $0.name == $1.name && $0.value == $1.value }
  }

  /// - Parameter query: as in the URL, without `?`. What is no valid percent-encoding is taken as it stands.
  public init(_ query: String) {
    pairs = query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decode(parts[0]), parts.count > 1 ? Self.decode(parts[1]) : "")
    }
  }

  public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }

  static func decode(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    let source = Array(text.utf8)
    var at = 0
    while at < source.count {
      if source[at] == UInt8(ascii: "%"), at + 2 < source.count, let high = hex(source[at + 1]),
        let low = hex(source[at + 2])
      {
        bytes.append(high << 4 | low)
        at += 3
      } else {
        bytes.append(source[at] == UInt8(ascii: "+") ? UInt8(ascii: " ") : source[at])
        at += 1
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}
