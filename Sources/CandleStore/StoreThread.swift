import Glibc

/// A named thread of the operating system, not joined: who waits for its end watches a `Monitor`.
enum StoreThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// - Parameter name: at most 15 bytes, as `top -H` shows it.
  static func start(_ name: StaticString, _ run: @escaping @Sendable () -> Void) throws(StoreError) {
    var thread = pthread_t()
    let body = Unmanaged.passRetained(
      Body {
        rename(name)
        run()
      })
    let code = pthread_create(
      &thread, nil,
      { argument in
        let body = Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue()
        body.run()
        return nil
      }, body.toOpaque())
    guard code == 0 else {
      body.release()
      throw .system(.open, "thread \(name)", code: code)
    }
    pthread_detach(thread)
  }

  /// Names the calling thread; glibc's call for it is not imported.
  private static func rename(_ name: StaticString) {
    let descriptor = Glibc.open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    if descriptor < 0 { return }
    name.withUTF8Buffer { _ = Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }
}
