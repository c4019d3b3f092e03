/// What someone may have meant.
enum Spelling {
  /// The candidate with the fewest typing mistakes (a letter more, less, other, or two swapped).
  /// - Returns: nil if none is near: a third of the word may be wrong, at least one letter and at most four.
  static func nearest(to word: String, in candidates: some Sequence<String>) -> String? {
    let letters = Array(word.utf8)
    // What is much longer than any key is no slip of the fingers, and the table grows with the square of it.
    guard (2...64).contains(letters.count) else { return nil }
    let tolerance = min(4, max(1, letters.count / 3))
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(lowercase(letters), lowercase(Array(candidate.utf8)))
      if distance <= tolerance, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// `a`, `a or b`, `a, b or c`.
  static func alternatives(_ words: [String]) -> String {
    guard let last = words.last, words.count > 1 else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }

  private static func lowercase(_ letters: [UInt8]) -> [UInt8] {
    letters.map { (65...90).contains($0) ? $0 + 32 : $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }
  }

  /// Optimal string alignment distance.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      row.reserveCapacity(b.count + 1)
      for j in b.indices {
        var least = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, beforeLast[j - 1] + 1) }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
