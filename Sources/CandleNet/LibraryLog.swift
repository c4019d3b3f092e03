import CLibwebsockets
import Glibc
import Synchronization

/// Takes the library's log lines off standard error. Process-wide, as the library's is.
enum LibraryLog {
  private static let sink = Mutex<(@Sendable (Int, String) -> Void)?>(nil)
  /// Threads whose library said that a request's head did not fit, since they were asked.
  private static let longHeads = Mutex<Set<pthread_t>>([])

  static func install(_ log: (@Sendable (Int, String) -> Void)?) {
    sink.withLock { $0 = log }
    lws_set_log_level(log == nil ? CLWS_LOG_ERR : CLWS_LOG_ERR | CLWS_LOG_WARN, emitLogLine)
  }

  /// Whether the library dropped a request on this thread because of its long head. It tells in its log only.
  static func tookLongHead() -> Bool { longHeads.withLock { $0.remove(pthread_self()) != nil } }

  static func emit(_ level: Int, _ line: UnsafePointer<CChar>) {
    if strstr(line, "Ran out of header data space") != nil {
      longHeads.withLock { _ = $0.insert(pthread_self()) }
    }
    guard let log = sink.withLock({ $0 }) else { return }
    var text = String(cString: line)
    while text.last?.isNewline == true { text.removeLast() }
    log(level, text)
  }
}

private func emitLogLine(_ level: Int32, _ line: UnsafePointer<CChar>?) {
  if let line { LibraryLog.emit(Int(level), line) }
}
