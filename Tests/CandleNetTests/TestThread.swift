import Glibc

final class TestThread {
  private var thread = pthread_t()
  private var isJoined = false

  init(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
  }

  deinit { if !isJoined { pthread_detach(thread) } }

  func join() {
    pthread_join(thread, nil)
    isJoined = true
  }
}

func sleepBriefly() { usleep(1_000) }
