import CAllocator
import CandleConfiguration
import CandleJournal
import CandleNet
import CandleStore
import Foundation

enum RunCommand {
  static func run(_ invocation: Invocation) -> ExitCode {
    let log = Log(invocation)
    let path = Configuration.find(explicit: invocation.text("config"))
    switch CheckCommand.load(path) {
    case .failure(let problems):
      for problem in problems.list { log.error("\(problem)") }
      return .configuration
    case .success(let configuration):
      log.info("configuration read", ["file": path ?? "none, defaults"])
      return serve(DaemonSettings(configuration), from: path, log: log)
    }
  }

  /// Runs a daemon until a signal ends it.
  private static func serve(_ settings: DaemonSettings, from path: String?, log: Log) -> ExitCode {
    var signals = Signals([SIGTERM, SIGINT, SIGHUP])
    ResourceLimits.raiseDescriptors()
    ResourceLimits.returnMemory()
    let daemon: Daemon
    switch start(settings, log: log) {
    case .failure(let failure): return failure.code
    case .success(let started): daemon = started
    }
    while true {
      let signal = signals.wait()
      guard signal == SIGHUP else { break }
      reload(daemon, from: path, log: log)
    }
    let rest = signals
    let again = Thread {
      // A second signal ends at once.
      var signals = rest
      _ = signals.wait()
      _exit(1)
    }
    again.start()
    stop(daemon)
    return .ok
  }

  /// An invalid configuration is refused whole; the old one stays.
  private static func reload(_ daemon: Daemon, from path: String?, log: Log) {
    daemon.loop.post { daemon.beginReload() }
    switch CheckCommand.load(path) {
    case .failure(let problems):
      for problem in problems.list { log.error("\(problem)") }
      log.error("the new configuration is refused; the old one stays")
    case .success(let configuration):
      let settings = DaemonSettings(configuration)
      daemon.loop.post { daemon.reload(settings) }
    }
    daemon.loop.post { daemon.endReload() }
  }

  struct Failure: Error {
    var code: ExitCode
  }

  /// Opens the database and the port, and begins to serve.
  static func start(
    _ settings: DaemonSettings, log: Log, observer: Daemon.Observer? = nil
  ) -> Result<Daemon, Failure> {
    do {
      let daemon = try Daemon(settings, log: log, observer: observer)
      daemon.start()
      log.notice(
        "serving",
        [
          "address": "\(settings.net.host ?? "*"):\(daemon.loop.boundPort)", "database": daemon.store.path,
          "feeds": "\(settings.feeds.count)", "version": Version.text,
        ])
      return .success(daemon)
    } catch let error as StoreError {
      log.error("\(error)")
      return .failure(Failure(code: .io))
    } catch let error as JournalError {
      log.error("\(error)")
      return .failure(Failure(code: .io))
    } catch let error as NetError {
      log.error("\(error)")
      return .failure(Failure(code: error.cause == .badCertificate ? .configuration : .unavailable))
    } catch {
      log.error("\(error)")
      return .failure(Failure(code: .unavailable))
    }
  }

  /// Ends a daemon in good order.
  static func stop(_ daemon: Daemon) {
    daemon.loop.post { daemon.beginStop() }
    daemon.loop.join()
    let unwritten = daemon.store.close(deadlineMilliseconds: 2_000)
    daemon.commitRelay.end()
    daemon.journal.close()
    if unwritten > 0 { daemon.log.error("batches could not be stored", ["batches": "\(unwritten)"]) }
  }
}

enum ResourceLimits {
  /// Each connection takes a descriptor, and the library sizes its tables by the limit it finds.
  static func raiseDescriptors() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(7), &limit) == 0 else { return }
    limit.rlim_cur = min(limit.rlim_max, 65_536)
    setrlimit(__rlimit_resource_t(7), &limit)
  }

  /// Has the allocator give large blocks back to the system as soon as they are freed. By itself it would learn from the
  /// bursts of minute ends to keep tens of megabytes.
  static func returnMemory() {
    let threshold: Int32 = 256 << 10
    mallopt(M_MMAP_THRESHOLD, threshold)
    mallopt(M_TRIM_THRESHOLD, 4 * threshold)
  }
}
