import CandleCore
import CandleEngine

extension Journal {
  /// For an append that does not fit into what is left of the segment.
  /// - Parameter carried: the records that it has already; they are copied to where the next block's go.
  func continueInNextSegment(carrying carried: UnsafeRawBufferPointer) throws(JournalError) -> MappedSegment {
    // In a segment without other records there was all the room that can be.
    if let active, active.end == active.dataStart { throw tooLarge(.append) }
    return try begin(carrying: carried)
  }

  /// Begins a segment and closes the one before.
  func begin(
    carrying carried: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) throws(JournalError) -> MappedSegment {
    let segment = try preparer.take()
    do throws(JournalError) {
      try writeHead(of: segment)
      if segment.records + carried.count > segment.limit { throw tooLarge(.append) }
      if options.durability == .power { try sync(segment, from: 0) }
    } catch {
      segment.blank()
      preparer.giveBack(segment)
      throw error
    }
    // Before the segment they lie in is given back.
    if let base = carried.baseAddress { segment.records.copyMemory(from: base, byteCount: carried.count) }
    let chore = active.map { seal($0) }
    active = segment
    preparer.begun(chore)
    return segment
  }

  /// The head itself comes last: where it is, the restatement is too.
  private func writeHead(of segment: MappedSegment) throws(JournalError) {
    segment.first = lastSequence &+ 1
    segment.end = JournalSegment.headBytes
    segment.horizon = .min
    var writer = JournalWriter(segment, journal: nil)
    restate?(&writer)
    if let failure = writer.failure {
      if case .tooLarge = failure.cause { throw tooLarge(.begin) }
      throw failure
    }
    if writer.count > 0 {
      segment.commit(
        JournalBlock(
          length: writer.length, count: writer.count, isRestatement: true, sequence: segment.first, horizon: .min))
    } else {
      (segment.base + segment.end).storeBytes(of: 0, as: UInt64.self)
    }
    segment.dataStart = segment.end
    JournalSegment(first: segment.first, epoch: epoch).write(at: segment.base)
  }

  /// Says in the head of a segment what it holds, and gives its map back.
  ///
  /// No disk is waited for: without a seal the next process reads the blocks instead.
  /// - Returns: what the preparer has to do with it.
  func seal(_ segment: MappedSegment) -> SegmentPreparer.Chore {
    // Without records it says nothing.
    if segment.end == segment.dataStart { return .discard(segment, removing: true) }
    let seal = JournalSeal(
      next: lastSequence &+ 1, end: segment.end, horizon: segment.horizon, closedAt: system.wallTime())
    seal.write(at: segment.base + JournalSeal.offset, first: segment.first)
    closed.append(
      ClosedSegment(number: segment.number, seal: seal, bytes: MappedSegment.allocated(segment.end)))
    return .retire(segment)
  }
}
