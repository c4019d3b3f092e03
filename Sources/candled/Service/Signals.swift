import Glibc

/// Signals are taken by one thread that waits for them; no handler interrupts anything.
struct Signals {
  private var set = sigset_t()

  /// Blocks the signals in this thread and all that it starts later; call it before any.
  init(_ signals: [Int32]) {
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Waits for the next one.
  mutating func wait() -> Int32 {
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    return number
  }
}
