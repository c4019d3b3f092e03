import CandleCore
import Glibc

/// Lays out the next segment ahead of time, and puts used ones away, on a thread of its own: allocation on disk, page
/// faults and removal take milliseconds, which the journal's owner does not have.
final class SegmentPreparer: Sendable {
  enum Slot {
    /// To be prepared; `after` is why it did not succeed before.
    case wanted(after: JournalError?)
    case ready(MappedSegment)
    /// Handed out, not begun yet.
    case taken
    case failed(JournalError)
  }

  enum Chore {
    /// Cut at its end and unmap.
    case retire(MappedSegment)
    /// Unmap, and remove if so wanted.
    case discard(MappedSegment, removing: Bool)
    case remove(ClosedSegment)
  }

  struct State {
    var slot = Slot.wanted(after: nil)
    var chores: [Chore] = []
    var isWorking = false
    var isStopping = false
    var hasEnded = false
    var bytesOnDisk: Int64
    var waits: UInt64 = 0
    var cleanupFailures: UInt64 = 0
    /// Could not be removed.
    var unremoved: [ClosedSegment] = []
    /// Bytes past the end of closed segments that could not be cut, by number.
    var uncut: [UInt32: Int64] = [:]
    /// Number of the next segment.
    var number: UInt32
  }

  let directory: String
  let options: JournalOptions
  let system: SystemCalls
  let state: Handover<State>

  /// - Parameters:
  ///   - bytesOnDisk: of the segments that are there.
  ///   - number: of the next segment.
  init(
    directory: String, options: JournalOptions, system: SystemCalls, bytesOnDisk: Int64, number: UInt32
  ) throws(JournalError) {
    self.directory = directory
    self.options = options
    self.system = system
    state = Handover(State(bytesOnDisk: bytesOnDisk, number: number))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        let preparer = Unmanaged<SegmentPreparer>.fromOpaque(argument!).takeRetainedValue()
        preparer.run()
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard code == 0 else {
      Unmanaged.passUnretained(self).release()
      throw JournalError(operation: .open, subject: "thread", cause: .system(code: code))
    }
    pthread_detach(thread)
  }

  /// Takes the prepared segment; waits for it, unless the disk failed at the last attempt.
  func take() throws(JournalError) -> MappedSegment {
    // Nobody waits for this: waking the thread would cost more than all the rest.
    let ready: MappedSegment? = state.withLock { state in
      guard case .ready(let segment) = state.slot else { return nil }
      state.slot = .taken
      return segment
    }
    if let ready { return ready }
    var hasWaited = false
    let result: Result<MappedSegment, JournalError> = state.wait { state in
      switch state.slot {
      case .ready(let segment):
        state.slot = .taken
        return .success(segment)
      case .failed(let error):
        state.slot = .wanted(after: error)
        return .failure(error)
      case .wanted(let error?): return .failure(error)
      case .wanted(nil), .taken:
        if !hasWaited { state.waits += 1 }
        hasWaited = true
        return nil
      }
    }
    return try result.get()
  }

  /// The segment that was taken is begun: the next one may be prepared, and the one before put away.
  func begun(_ chore: Chore?) {
    state.update { state in
      state.slot = .wanted(after: nil)
      if let chore { state.chores.append(chore) }
    }
  }

  /// The segment that was taken is not used yet.
  func giveBack(_ segment: MappedSegment) { state.update { $0.slot = .ready(segment) } }

  func add(_ chore: Chore) { state.update { $0.chores.append(chore) } }

  /// Segments that could not be removed; they are handed out once.
  func takeUnremoved() -> [ClosedSegment] {
    state.withLock { state in
      defer { state.unremoved = [] }
      return state.unremoved
    }
  }

  func report(into status: inout JournalStatus) {
    let (bytes, waits, failures, error): (Int64, UInt64, UInt64, JournalError?) = state.withLock { state in
      let error: JournalError? =
        switch state.slot {
        case .failed(let error), .wanted(let error?): error
        default: nil
        }
      return (state.bytesOnDisk, state.waits, state.cleanupFailures, error)
    }
    status.bytesOnDisk = bytes
    status.waits = waits
    status.cleanupFailures = failures
    status.preparation = error
  }

  /// Waits until nothing is left to do but what the disk refuses.
  func settle() {
    _ = state.wait { state -> Bool? in
      if state.isWorking || !state.chores.isEmpty { return nil }
      if case .wanted(after: nil) = state.slot { return nil }
      return true
    }
  }

  /// Finishes the chores, removes the prepared segment and ends the thread.
  func stop() {
    state.update { $0.isStopping = true }
    _ = state.wait { $0.hasEnded ? true : nil }
  }
}
