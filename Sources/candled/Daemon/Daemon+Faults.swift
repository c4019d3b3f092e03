import CandleCore
import CandleJournal

/// What was last seen of faults that show in counters and states only.
struct FaultWatch {
  /// Monotonic time of the next look, in nanoseconds.
  var next: Int64 = 0
  var clockSteps: Int64 = 0
  var isClockStanding = false
  var preparation: JournalError?
  var refusedReads = 0
  var failedCheckpoints = 0
  /// By reason.
  var gapLimits: [GapReason: LogLimit] = [:]
}

/// Faults leave a line in the log, even where nothing is done about them at once.
extension Daemon {
  /// Nanoseconds between two looks.
  private static let faultInterval: Int64 = 1_000_000_000

  func watchFaults() {
    guard instant.monotonic >= faults.next else { return }
    faults.next = instant.monotonic + Self.faultInterval
    watchClock()
    watchDisk()
  }

  private func watchClock() {
    let steps = engine.clock.steps
    if steps != faults.clockSteps {
      log.warning(
        "the system clock was set by more than a second",
        ["steps": "\(steps - faults.clockSteps)", "offset_ms": "\(engine.clock.offsetMilliseconds(at: instant))"])
      faults.clockSteps = steps
    }
    if engine.clock.isStanding != faults.isClockStanding {
      faults.isClockStanding.toggle()
      if faults.isClockStanding {
        log.error("the clock was set back: nothing settles by clock until the time is reached again")
      } else {
        log.notice("the clock goes on")
      }
    }
  }

  private func watchDisk() {
    let preparation = journal.status.preparation
    if preparation != faults.preparation {
      if let preparation {
        log.error(
          "the next segment of the journal cannot be laid out; ticks are taken until the present one is full",
          ["error": "\(preparation)"])
      } else {
        log.notice("the next segment of the journal is laid out", ["directory": journal.directory])
      }
      faults.preparation = preparation
    }
    let refused = store.refusedReads
    if refused > faults.refusedReads {
      log.warning(
        "reads of the database were refused: too many wait",
        ["reads": "\(refused - faults.refusedReads)", "waiting": "\(store.waitingReads)"])
      faults.refusedReads = refused
    }
    let checkpoints = store.failedCheckpoints
    if checkpoints > faults.failedCheckpoints {
      log.warning(
        "the log of the database was not copied back; it grows until that works",
        ["failures": "\(checkpoints - faults.failedCheckpoints)", "pages": "\(store.logPages)"])
      faults.failedCheckpoints = checkpoints
    }
  }

  /// A stretch of which something is missing was published.
  func tellGap(_ gap: Gap, symbol: String) {
    guard !gap.filled, let leftOut = faults.gapLimits[gap.reason, default: LogLimit()].pass(at: instant.monotonic)
    else { return }
    log.notice(
      gap.to == nil ? "a gap begins" : "a gap has ended",
      [
        "symbol": symbol, "reason": gap.reason.rawValue, "from": "\(gap.from)", "to": gap.to.map { "\($0)" },
        "left_out": "\(leftOut)",
      ])
  }
}
