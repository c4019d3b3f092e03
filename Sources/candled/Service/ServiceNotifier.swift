import CSystemd
import Glibc

/// Tells the service manager how the daemon is (sd_notify(3)); says nothing where there is none.
enum ServiceNotifier {
  /// Whether there is somebody to tell.
  static let isHeard = getenv("NOTIFY_SOCKET") != nil

  static func ready() { _ = sd_notify(0, "READY=1") }
  static func status(_ text: String) { _ = sd_notify(0, "STATUS=\(text)") }
  static func stopping() { _ = sd_notify(0, "STOPPING=1") }
  static func alive() { _ = sd_notify(0, "WATCHDOG=1") }

  /// `ready()` ends it. The time is what `Type=notify-reload` of systemd 253 tells one reload from the next by; older
  /// ones pass over it.
  static func reloading() {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    _ = sd_notify(0, "RELOADING=1\nMONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1_000)")
  }

  /// Nanoseconds between two signs of life: half of what the service manager waits for; nil if it wants none.
  static func watchdogInterval() -> Int64? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return Int64(microseconds) * 1_000 / 2
  }
}
