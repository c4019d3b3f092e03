import CLibwebsockets
import Glibc

/// Host names to numeric addresses, on a thread of its own: the system's resolver blocks, for seconds if a server is down.
enum NameLookup {
  struct Failure: Error {
    let detail: String
  }

  private final class Task {
    let host: String
    let completion: @Sendable (Result<[String], Failure>) -> Void

    init(_ host: String, _ completion: @escaping @Sendable (Result<[String], Failure>) -> Void) {
      self.host = host
      self.completion = completion
    }
  }

  static func isNumeric(_ host: String) -> Bool {
    var room = in6_addr()
    return inet_pton(AF_INET, host, &room) == 1 || inet_pton(AF_INET6, host, &room) == 1
  }

  /// `completion` is called on the look-up thread.
  static func start(_ host: String, completion: @escaping @Sendable (Result<[String], Failure>) -> Void) {
    let task = Unmanaged.passRetained(Task(host, completion)).toOpaque()
    var thread = pthread_t()
    let failed = pthread_create(
      &thread, nil,
      { argument in
        clws_name_thread("candle-dns")
        let task = Unmanaged<Task>.fromOpaque(argument!).takeRetainedValue()
        task.completion(NameLookup.addresses(of: task.host))
        return nil
      }, task)
    if failed == 0 {
      pthread_detach(thread)
    } else {
      Unmanaged<Task>.fromOpaque(task).release()
      completion(.failure(Failure(detail: "no thread for the name look-up")))
    }
  }

  private static func addresses(of host: String) -> Result<[String], Failure> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_ADDRCONFIG
    var found: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &found)
    guard code == 0 else { return .failure(Failure(detail: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(found) }
    var addresses: [String] = []
    var next = found
    while let entry = next, addresses.count < 16 {
      var text = [CChar](repeating: 0, count: 64)
      if getnameinfo(entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, 64, nil, 0, NI_NUMERICHOST) == 0 {
        let address = String(nulTerminated: text)
        if !addresses.contains(address) { addresses.append(address) }
      }
      next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(Failure(detail: "no address")) : .success(addresses)
  }
}
