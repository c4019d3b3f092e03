/// Stretches of time, ends exclusive: sorted, apart from each other, none empty.
public struct RangeList: Sendable, Equatable {
  public private(set) var ranges: [Range<Milliseconds>] = []

  public init() {}

  public init(_ ranges: some Sequence<Range<Milliseconds>>) { for range in ranges { insert(range) } }

  public var isEmpty: Bool { ranges.isEmpty }

  /// Sum of the lengths.
  public var milliseconds: Milliseconds { ranges.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) } }

  public mutating func insert(_ range: Range<Milliseconds>) {
    guard !range.isEmpty else { return }
    let first = firstIndex { $0.upperBound >= range.lowerBound }
    var last = first
    var merged = range
    while last < ranges.count, ranges[last].lowerBound <= range.upperBound {
      merged = min(merged.lowerBound, ranges[last].lowerBound)..<max(merged.upperBound, ranges[last].upperBound)
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: [merged])
  }

  public mutating func remove(_ range: Range<Milliseconds>) {
    guard !range.isEmpty else { return }
    let first = firstIndex { $0.upperBound > range.lowerBound }
    var last = first
    var left: [Range<Milliseconds>] = []
    while last < ranges.count, ranges[last].lowerBound < range.upperBound {
      if ranges[last].lowerBound < range.lowerBound { left.append(ranges[last].lowerBound..<range.lowerBound) }
      if ranges[last].upperBound > range.upperBound { left.append(range.upperBound..<ranges[last].upperBound) }
      last += 1
    }
    ranges.replaceSubrange(first..<last, with: left)
  }

  public func overlaps(_ range: Range<Milliseconds>) -> Bool {
    let first = firstIndex { $0.upperBound > range.lowerBound }
    return first < ranges.count && ranges[first].overlaps(range)
  }

  public func contains(_ range: Range<Milliseconds>) -> Bool {
    let first = firstIndex { $0.upperBound > range.lowerBound }
    return first < ranges.count && ranges[first].lowerBound <= range.lowerBound
      && ranges[first].upperBound >= range.upperBound
  }

  /// Ranges are sorted, and so are their ends.
  private func firstIndex(where holds: (Range<Milliseconds>) -> Bool) -> Int {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if holds(ranges[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
