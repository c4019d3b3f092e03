import CandleCore

/// A line, or a trade of a message, that was refused before it became a tick.
public struct RefusedLine: Sendable, Equatable {
  /// Counted from 1 within the frame, blank lines included.
  public var line: Int
  public var reason: RefusalReason
  /// Where its text stands in the frame.
  public var range: Range<Int>

  public init(line: Int, reason: RefusalReason, range: Range<Int>) {
    self.line = line
    self.reason = reason
    self.range = range
  }
}

/// The ticks of one frame, and what was refused of it. One batch is used again and again, so that parsing allocates
/// nothing once it has grown.
public struct TickBatch {
  public var ticks: ContiguousArray<Tick> = []
  /// For each tick, where its text stands in the frame.
  public var ranges: ContiguousArray<Range<Int>> = []
  /// For each tick, its line, counted from 1.
  public var lines: ContiguousArray<Int> = []
  public var refused: ContiguousArray<RefusedLine> = []

  public init() {}

  public mutating func clear() {
    ticks.removeAll(keepingCapacity: true)
    ranges.removeAll(keepingCapacity: true)
    lines.removeAll(keepingCapacity: true)
    refused.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func append(_ tick: Tick, line: Int, range: Range<Int>) {
    ticks.append(tick)
    lines.append(line)
    ranges.append(range)
  }
}
