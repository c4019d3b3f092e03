import CandleWire

/// What waits to be sent to one reader: frames in order, of which forming ones may be replaced while they wait.
public struct ReaderQueue {
  private struct Entry {
    var frame: Frame?
    /// Series of a forming message, −1 for all else.
    var series: Int
    /// Whether it counts as the reader's backlog: what it asked for at its own pace does not.
    var counts: Bool
  }

  private var entries: ContiguousArray<Entry> = []
  private var head = 0
  /// Bytes of the first frame that were handed out.
  private var offset = 0
  /// Forming messages that wait, by series: position in `entries`, and whether a newer one was not even made.
  private var waiting: [(series: Int, position: Int, outdated: Bool)] = []
  /// Series whose outdated forming message had its turn: the newest one is to follow.
  private var owed: [Int] = []
  /// Bytes that wait.
  public private(set) var bytes = 0
  /// Bytes of the waiting frames that count as backlog, a frame that was handed out in part as a whole.
  public private(set) var backlog = 0

  public init() {}

  public var isEmpty: Bool { head == entries.count }

  /// - Parameter counts: whether it counts as backlog.
  public mutating func append(_ frame: Frame, counts: Bool = true) {
    entries.append(Entry(frame: frame, series: -1, counts: counts))
    bytes += frame.bytes.count
    if counts { backlog += frame.bytes.count }
  }

  /// A settled candle of a series: what was to be said of its forming one is obsolete.
  mutating func appendSettled(_ frame: Frame, series: Int) {
    if let index = waiting.firstIndex(where: { $0.series == series }) {
      drop(waiting[index].position)
      waiting.swapAt(index, waiting.count - 1)
      waiting.removeLast()
    }
    append(frame)
  }

  /// A forming candle; takes the place of one of the same series that still waits, if `conflate`.
  /// - Returns: whether it took a place.
  @discardableResult
  mutating func appendForming(_ frame: Frame, series: Int, conflate: Bool) -> Bool {
    if let index = waiting.firstIndex(where: { $0.series == series }) {
      let position = waiting[index].position
      if conflate {
        let change = frame.bytes.count - (entries[position].frame?.bytes.count ?? 0)
        bytes += change
        backlog += change
        entries[position].frame = frame
        waiting[index].outdated = false
        return true
      }
      waiting[index].position = entries.count
      waiting[index].outdated = false
    } else {
      waiting.append((series, entries.count, false))
    }
    entries.append(Entry(frame: frame, series: series, counts: true))
    bytes += frame.bytes.count
    backlog += frame.bytes.count
    return false
  }

  /// Whether a forming message of a series waits; it is outdated then, and the newest is owed once it is handed out.
  mutating func outdate(series: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.series == series }) else { return false }
    waiting[index].outdated = true
    return true
  }

  func isWaiting(series: Int) -> Bool { waiting.contains { $0.series == series } }

  /// Takes the series whose newest forming message is owed.
  mutating func takeOwed(_ body: (Int) -> Void) {
    guard !owed.isEmpty else { return }
    for series in owed { body(series) }
    owed.removeAll(keepingCapacity: true)
  }

  private mutating func drop(_ position: Int) {
    let dropped = entries[position].frame?.bytes.count ?? 0
    bytes -= dropped
    backlog -= dropped
    entries[position].frame = nil
  }

  /// Drops all but what is left of a frame that was handed out in part.
  mutating func dropAll() {
    let rest = offset > 0 ? entries[head].frame : nil
    let handedOut = offset
    self = ReaderQueue()
    guard let rest else { return }
    append(rest)
    bytes -= handedOut
    offset = handedOut
  }

  /// Hands out as many whole frames as fit; a frame is only cut if it is longer than the buffer, since while it is cut
  /// nothing is read from its reader.
  public mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let start = buffer.baseAddress else { return 0 }
    var used = 0
    while head < entries.count, used < buffer.count {
      if let frame = entries[head].frame {
        if used > 0, frame.bytes.count > buffer.count - used { break }
        if offset == 0, entries[head].series >= 0, forget(entries[head].series, at: head) {
          // A reader that lags gets the newest only, which is made now that its turn has come.
          drop(head)
          head += 1
          continue
        }
        let part = min(frame.bytes.count - offset, buffer.count - used)
        (start + used).copyMemory(from: frame.bytes.baseAddress! + offset, byteCount: part)
        used += part
        offset += part
        bytes -= part
        if offset < frame.bytes.count { break }
        offset = 0
        if entries[head].counts { backlog -= frame.bytes.count }
        entries[head].frame = nil
      }
      head += 1
    }
    compact()
    return used
  }

  /// A forming message has its turn.
  /// - Returns: whether it is outdated; then the newest is owed.
  private mutating func forget(_ series: Int, at position: Int) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.series == series && $0.position == position }) else {
      return false
    }
    let outdated = waiting[index].outdated
    if outdated { owed.append(series) }
    waiting.swapAt(index, waiting.count - 1)
    waiting.removeLast()
    return outdated
  }

  private mutating func compact() {
    if head == entries.count {
      entries.removeAll(keepingCapacity: entries.capacity <= 64)
      head = 0
    } else if head > 256, head * 2 > entries.count {
      entries.removeFirst(head)
      for index in waiting.indices { waiting[index].position -= head }
      head = 0
    }
  }
}
