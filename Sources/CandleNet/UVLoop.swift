import Glibc

/// A libuv loop (epoll) that the library is given to work in, run one iteration a pass.
///
/// Foreign to the library on purpose: in a loop of its own it would take over SIGINT, SIGTERM and SIGSEGV.
/// libuv comes with the plugin package; its symbols are looked up at run time, so that `poll` needs no libuv.
final class UVLoop {
  private typealias Size = @convention(c) () -> Int
  private typealias OnLoop = @convention(c) (UnsafeMutableRawPointer) -> Int32
  private typealias Run = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32

  let loop: UnsafeMutableRawPointer
  /// The array of one that the library wants.
  let list: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  private let run: Run
  private let close: OnLoop

  /// `nil` if libuv is not installed.
  init?() {
    guard let library = dlopen("libuv.so.1", RTLD_NOW),
      let size = dlsym(library, "uv_loop_size"), let start = dlsym(library, "uv_loop_init"),
      let run = dlsym(library, "uv_run"), let close = dlsym(library, "uv_loop_close")
    else { return nil }
    self.run = unsafeBitCast(run, to: Run.self)
    self.close = unsafeBitCast(close, to: OnLoop.self)
    loop = .allocate(byteCount: unsafeBitCast(size, to: Size.self)(), alignment: 16)
    list = .allocate(capacity: 1)
    list.initialize(to: loop)
    guard unsafeBitCast(start, to: OnLoop.self)(loop) == 0 else {
      loop.deallocate()
      list.deallocate()
      return nil
    }
  }

  /// One iteration: timers, then every ready socket.
  func pass(waits: Bool) {
    let once: Int32 = 1
    let noWait: Int32 = 2
    _ = run(loop, waits ? once : noWait)
  }

  deinit {
    // A loop with handles left cannot be closed; better to leak it than to free what is in use.
    if close(loop) == 0 { loop.deallocate() }
    list.deallocate()
  }
}
