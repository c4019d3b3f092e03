import Synchronization

/// Work handed to the loop thread by other threads, in order.
final class Inbox: Sendable {
  typealias Work = @Sendable () -> Void

  struct State {
    var work: [Work] = []
    var closed = false
  }

  private let state = Mutex(State())

  /// - Returns: whether the loop must be woken: only the first post after a drain needs to.
  func post(_ work: @escaping Work) -> Bool {
    state.withLock { state in
      guard !state.closed else { return false }
      state.work.append(work)
      return state.work.count == 1
    }
  }

  func drain() -> [Work] {
    state.withLock { state in
      guard !state.work.isEmpty else { return [] }
      let work = state.work
      state.work = []
      return work
    }
  }

  /// Runs `body` unless the inbox was closed, so that a wake never touches a context that is gone.
  func whileOpen(_ body: () -> Void) {
    state.withLock { if !$0.closed { body() } }
  }

  func close() {
    state.withLock { state in
      state.closed = true
      state.work = []
    }
  }
}
