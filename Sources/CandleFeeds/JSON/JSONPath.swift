import CandleWire

/// A compiled path: it is walked on every message, so keys are bytes and positions numbers.
struct JSONPath: Sendable {
  private struct Segment: Sendable {
    var key: [UInt8]
    /// In an array; nil where the key is no number.
    var position: Int?
  }

  private let segments: [Segment]

  init(_ path: [String]) {
    segments = path.map { Segment(key: Array($0.utf8), position: Int($0)) }
  }

  /// The value there; nil if there is none. Of a doubled key it is the last.
  /// - Parameter root: a value that has been checked.
  func find(in root: JSONItem) -> JSONItem? {
    var item = root
    for index in segments.indices {
      guard let next = step(segments[index], in: item) else { return nil }
      item = next
    }
    return item
  }

  private func step(_ segment: Segment, in item: JSONItem) -> JSONItem? {
    var scanner = item.inside
    switch item.kind {
    case .object:
      guard scanner.beginObject() else { return nil }
      var found: JSONItem?
      while let key = scanner.key(), let value = scanner.value() {
        if key.equals(segment.key) { found = value }
      }
      return found
    case .array:
      guard var left = segment.position, left >= 0, scanner.beginArray() else { return nil }
      while scanner.element(), let value = scanner.value() {
        if left == 0 { return value }
        left -= 1
      }
      return nil
    default: return nil
    }
  }
}
