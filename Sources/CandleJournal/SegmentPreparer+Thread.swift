import CandleCore
import Glibc

/// What the thread does.
extension SegmentPreparer {
  /// SCHED_BATCH of sched.h, which is not imported.
  private static let batchPolicy: Int32 = 3

  private enum Step {
    case prepare(after: JournalError?)
    case chore(Chore)
    case end(MappedSegment?)
  }

  func run() {
    // A thread that is woken may take the processor from the one that woke it, for milliseconds; one of this policy
    // does not.
    var parameters = sched_param()
    sched_setscheduler(0, Self.batchPolicy, &parameters)
    while true {
      let step: Step = state.wait { state in
        let step: Step
        if case .wanted(let error) = state.slot, !state.isStopping, error == nil || state.chores.isEmpty {
          step = .prepare(after: error)
        } else if !state.chores.isEmpty {
          step = .chore(state.chores.removeFirst())
        } else if state.isStopping {
          if case .ready(let segment) = state.slot { step = .end(segment) } else { step = .end(nil) }
        } else {
          return nil
        }
        state.isWorking = true
        return step
      }
      switch step {
      case .prepare(let error):
        if error != nil { usleep(UInt32(clamping: options.retryInterval * 1_000)) }
        let slot: Slot
        do throws(JournalError) { slot = .ready(try prepare()) } catch { slot = .failed(error) }
        state.update { state in
          state.slot = slot
          state.isWorking = false
        }
      case .chore(let chore):
        carryOut(chore)
        state.update { $0.isWorking = false }
      case .end(let segment):
        if let segment { discard(segment, removing: true) }
        state.update { state in
          state.slot = .taken
          state.hasEnded = true
        }
        return
      }
    }
  }

  private func prepare() throws(JournalError) -> MappedSegment {
    let size = options.segmentSize
    let limit = options.maximumBytes
    let number = state.withLock { $0.number }
    let path = directory + "/" + SegmentName.of(number)
    if limit > 0, state.withLock({ $0.bytesOnDisk }) + Int64(size) > limit {
      throw JournalError(operation: .prepare, subject: directory, cause: .full(limit: limit))
    }
    do throws(SystemFailure) {
      let descriptor = try create(path)
      do throws(SystemFailure) {
        try system.preallocate(descriptor, size)
        let base = try system.map(descriptor, size)
        // Each page is touched here, so that the owner meets no page fault.
        for offset in stride(from: 0, to: size, by: MappedSegment.page) {
          (base + offset).storeBytes(of: 0, as: UInt8.self)
        }
        do throws(SystemFailure) {
          if options.durability == .power {
            try system.syncFile(descriptor)
            try system.syncDirectory(directory)
          }
        } catch {
          system.unmap(base, size)
          throw error
        }
        state.withLock { state in
          state.bytesOnDisk += Int64(size)
          state.number &+= 1
        }
        return MappedSegment(number: number, base: base, size: size, descriptor: descriptor)
      } catch {
        system.close(descriptor)
        // What is left of it is removed by the next attempt, or by the next process.
        do throws(SystemFailure) { try system.remove(path) } catch {}
        throw error
      }
    } catch {
      throw JournalError(operation: .prepare, subject: path, cause: .system(code: error.code))
    }
  }

  private func create(_ path: String) throws(SystemFailure) -> SystemCalls.Descriptor {
    do throws(SystemFailure) {
      return try system.open(path, .create)
    } catch {
      guard error.code == EEXIST else { throw error }
      try system.remove(path)
      return try system.open(path, .create)
    }
  }

  private func carryOut(_ chore: Chore) {
    switch chore {
    case .retire(let segment): retire(segment)
    case .discard(let segment, let removing): discard(segment, removing: removing)
    case .remove(let closed):
      do throws(SystemFailure) {
        try system.remove(directory + "/" + closed.name)
        state.withLock { $0.bytesOnDisk -= closed.bytes + ($0.uncut.removeValue(forKey: closed.number) ?? 0) }
      } catch {
        state.withLock { state in
          state.cleanupFailures += 1
          state.unremoved.append(closed)
        }
      }
    }
  }

  private func retire(_ segment: MappedSegment) {
    system.unmap(segment.base, segment.size)
    let spare = Int64(segment.size) - MappedSegment.allocated(segment.end)
    do throws(SystemFailure) {
      try system.truncate(segment.descriptor, segment.end)
      state.withLock { $0.bytesOnDisk -= spare }
    } catch {
      state.withLock { state in
        state.cleanupFailures += 1
        state.uncut[segment.number] = spare
      }
    }
    system.close(segment.descriptor)
  }

  private func discard(_ segment: MappedSegment, removing: Bool) {
    system.unmap(segment.base, segment.size)
    system.close(segment.descriptor)
    guard removing else { return }
    do throws(SystemFailure) {
      try system.remove(directory + "/" + segment.name)
      state.withLock { $0.bytesOnDisk -= Int64(segment.size) }
    } catch {
      state.withLock { $0.cleanupFailures += 1 }
    }
  }
}
