import CSQLite
import Synchronization

/// Copies the write-ahead log into the database on a thread and connection of its own, so that commits do not wait for
/// the disk.
///
/// The log begins anew once all of it is copied and no reader needs it. Where commits come faster than the disk takes
/// them, the writer copies too from `maximumLogPages` on, between two transactions: that bounds the log to that size
/// and one transaction more. Only a read that lasts (a backup) makes it grow further, by what is written meanwhile.
final class Checkpointer: Sendable {
  private struct State {
    var wanted = false
    /// The thread or the writer is at it; SQLite lets only one connection copy at a time.
    var copying = false
    var stopping = false
    var finished = false
  }

  private let state = Monitor(State())
  private let options: StoreOptions
  private let path: String
  /// Pages in the log after the last commit.
  let logPages = Atomic<Int>(0)
  private let askedAt = Atomic<Int>(0)
  private static let passes = 4
  let failures = Atomic<Int>(0)

  init(path: String, options: StoreOptions) {
    self.path = path
    self.options = options
  }

  func start() throws(StoreError) {
    let connection = try Connection.open(path: path, mode: .write, busyTimeoutMilliseconds: 0)
    try connection.execute(
      "PRAGMA synchronous = \(options.synchronous.rawValue); PRAGMA wal_autocheckpoint = 0", for: .open)
    // A first read makes the connection know the log.
    _ = try connection.integer("SELECT count(*) FROM sqlite_schema", for: .open)
    try StoreThread.start("candle-ckpt") { self.run(connection) }
  }

  /// Called by the writer after each commit.
  func committed(_ connection: Connection) {
    let pages = connection.logPages
    logPages.store(pages, ordering: .relaxed)
    let asked = askedAt.load(ordering: .relaxed)
    // The log began anew.
    if pages < asked { askedAt.store(0, ordering: .relaxed) }
    // While a reader holds the log, asking after every commit would only make the disk sync.
    guard pages >= options.checkpointPages, pages < asked || pages - asked >= options.checkpointPages / 4 else {
      return
    }
    askedAt.store(pages, ordering: .relaxed)
    if pages >= options.maximumLogPages {
      _ = state.wait { state -> Bool? in
        if state.copying { return nil }
        state.copying = true
        state.wanted = false
        return true
      }
      do { try connection.checkpoint() } catch { count(error) }
      state.update { $0.copying = false }
    } else {
      state.update { $0.wanted = true }
    }
  }

  /// A log that a commit changes at this moment is no failure: the next commits ask again.
  private func count(_ error: StoreError) {
    if case .sqlite(let code, _) = error.cause, code & 0xff == SQLITE_BUSY { return }
    failures.add(1, ordering: .relaxed)
  }

  /// Returns when the thread has ended.
  func stop() {
    state.update { $0.stopping = true }
    _ = state.wait { $0.finished ? true : nil }
  }

  private func run(_ connection: Connection) {
    while true {
      let goOn = state.wait { state -> Bool? in
        if state.stopping { return false }
        if !state.wanted || state.copying { return nil }
        state.wanted = false
        state.copying = true
        return true
      }
      guard goOn == true else { break }
      // Commits go on meanwhile; a second, short pass usually catches up, and only then can the log begin anew.
      for _ in 0..<Self.passes {
        do {
          let (log, copied) = try connection.checkpoint()
          if log == copied { break }
        } catch {
          count(error)
          break
        }
      }
      state.update { $0.copying = false }
    }
    connection.close()
    state.update { $0.finished = true }
  }
}
