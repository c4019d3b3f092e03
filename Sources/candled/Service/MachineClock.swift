import CandleEngine
import Glibc

/// Reads the machine's clocks.
enum MachineClock {
  static func now() -> Instant {
    var boot = timespec()
    var wall = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    clock_gettime(CLOCK_REALTIME, &wall)
    return Instant(
      monotonic: Int64(boot.tv_sec) * 1_000_000_000 + Int64(boot.tv_nsec),
      wall: Int64(wall.tv_sec) * 1_000 + Int64(wall.tv_nsec) / 1_000_000)
  }
}
