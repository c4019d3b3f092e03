import Glibc

/// Time for waits and durations; it never steps.
enum MonotonicClock {
  /// Nanoseconds since some moment in the past.
  static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Seconds since an earlier `now`.
  static func seconds(since start: UInt64) -> Double { Double(now - start) / 1e9 }
}
