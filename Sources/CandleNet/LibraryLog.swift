import CLibwebsockets
import Synchronization

/// Takes the library's log lines off standard error. Process-wide, as the library's is.
enum LibraryLog {
  private static let sink = Mutex<(@Sendable (Int, String) -> Void)?>(nil)

  static func install(_ log: (@Sendable (Int, String) -> Void)?) {
    sink.withLock { $0 = log }
    lws_set_log_level(log == nil ? 0 : CLWS_LOG_ERR | CLWS_LOG_WARN, emitLogLine)
  }

  static func emit(_ level: Int, _ line: UnsafePointer<CChar>) {
    guard let log = sink.withLock({ $0 }) else { return }
    var text = String(cString: line)
    while text.last?.isNewline == true { text.removeLast() }
    log(level, text)
  }
}

private func emitLogLine(_ level: Int32, _ line: UnsafePointer<CChar>?) {
  if let line { LibraryLog.emit(Int(level), line) }
}
