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
  /// For each tick, where it stands in the frame.
  public var places: ContiguousArray<TickPlace> = []
  public var refused: ContiguousArray<RefusedLine> = []

  public init() {}

  /// For each tick, where its text stands in the frame.
  public var ranges: [Range<Int>] { places.map(\.range) }
  /// For each tick, its line, counted from 1.
  public var lines: [Int] { places.map(\.line) }

  public mutating func clear() {
    ticks.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
    refused.removeAll(keepingCapacity: true)
  }

  @inline(__always)
  mutating func append(_ tick: Tick, line: Int, range: Range<Int>) {
    ticks.append(tick)
    places.append(TickPlace(line: line, range: range))
  }
}

/// Where a tick stands in its frame.
public struct TickPlace: Sendable, Equatable {
  /// Counted from 1.
  public var line: Int
  /// Of its text, in bytes.
  public var range: Range<Int>
}

/// Ticks on their way into a batch, a few at a time: an array checks with every append whether it is shared and has room.
struct TickBlock {
  static let capacity = 9
  /// Memory that a block needs: with the reach of a line it stays below the kilobyte that the stack is used for.
  static let byteCount = capacity * (MemoryLayout<Tick>.stride + MemoryLayout<TickPlace>.stride)

  private let ticks: UnsafeMutablePointer<Tick>
  private let places: UnsafeMutablePointer<TickPlace>
  private var count = 0

  /// - Parameter memory: `byteCount` bytes, aligned to 16.
  @inline(__always)
  init(_ memory: UnsafeMutableRawPointer) {
    ticks = memory.bindMemory(to: Tick.self, capacity: Self.capacity)
    places = (memory + Self.capacity * MemoryLayout<Tick>.stride).bindMemory(
      to: TickPlace.self, capacity: Self.capacity)
  }

  @inline(__always)
  mutating func append(_ tick: Tick, line: Int, range: Range<Int>, to batch: inout TickBatch) {
    if count == Self.capacity { flush(to: &batch) }
    (ticks + count).initialize(to: tick)
    (places + count).initialize(to: TickPlace(line: line, range: range))
    count &+= 1
  }

  @inline(never)
  mutating func flush(to batch: inout TickBatch) {
    if count == 1 {
      batch.ticks.append(ticks[0])
      batch.places.append(places[0])
    } else if count > 1 {
      batch.ticks.append(contentsOf: UnsafeBufferPointer(start: ticks, count: count))
      batch.places.append(contentsOf: UnsafeBufferPointer(start: places, count: count))
    }
    count = 0
  }
}
