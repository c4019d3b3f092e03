import CLibwebsockets
import Glibc

/// CLOCK_BOOTTIME in nanoseconds, the clock of every deadline here.
enum LoopClock {
  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// A timer descriptor that wakes the loop at a CLOCK_BOOTTIME instant.
///
/// The library's own timers count CLOCK_MONOTONIC (blind to suspend), round to milliseconds and run before sockets are read.
struct WakeTimer {
  let descriptor: Int32
  /// The library closes the descriptor it has taken over.
  var isAdopted = false
  private var armed: Int64?

  init() {
    descriptor = timerfd_create(CLOCK_BOOTTIME, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
  }

  /// Sets the next wake; one system call, and only if it changed.
  mutating func arm(_ instant: Int64?) {
    guard instant != armed else { return }
    armed = instant
    var value = itimerspec()
    if let instant {
      let nanoseconds = max(instant, 1)
      value.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
      value.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    }
    timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &value, nil)
  }

  /// Gives an unused timer back.
  mutating func close() {
    if !isAdopted { Glibc.close(descriptor) }
    isAdopted = true
  }

  /// Takes the expiry that poll reported.
  mutating func expired() {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
    armed = nil
  }
}

extension Duration {
  /// Nanoseconds, cut to 0 ... about 292 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return .max }
    return max(0, product.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue)
  }
}
