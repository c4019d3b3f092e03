import CSystemd

/// Tells the service manager how the daemon is; says nothing where there is none.
enum ServiceNotifier {
  static func reloading() { _ = sd_notify(0, "RELOADING=1") }
  static func ready() { _ = sd_notify(0, "READY=1") }
  static func status(_ text: String) { _ = sd_notify(0, "STATUS=\(text)") }
  static func stopping() { _ = sd_notify(0, "STOPPING=1") }
  static func alive() { _ = sd_notify(0, "WATCHDOG=1") }

  /// Nanoseconds between two signs of life that the service manager wants; nil if it wants none.
  static func watchdogInterval() -> Int64? {
    var microseconds: UInt64 = 0
    guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
    return Int64(microseconds) * 1_000 / 2
  }
}
