import Glibc
import Testing

@testable import CandleNet

@Suite(.serialized) struct ClientTests {
  private func failure(_ url: String, authority: String? = nil, timeout: Duration = .seconds(5)) throws -> NetError? {
    let client = try Bench.client()
    defer { client.stop() }
    client.onLoop { probe, loop in
      var target = WebSocketTarget(url: url)
      target.authority = authority
      target.timeout = timeout
      let c = loop.connect(target)
      // Never from within connect.
      #expect(!probe.events.contains { if case .clientFailed(c, _) = $0 { true } else { false } })
    }
    return client.probe.failure
  }

  private func unusedPort() -> Int {
    // A port that was bound and let go again.
    let bench = try! EventLoop(Bench.configuration)
    return bench.boundPort
  }

  @Test func failuresAreNamed() throws {
    #expect(try failure("ws://127.0.0.1:\(unusedPort())/")?.cause == .refused)
    #expect(try failure("http://127.0.0.1/")?.cause == .badAddress)
    #expect(try failure("ws://no-such-host.invalid/")?.cause == .nameNotFound)
    #expect(try failure("wss://127.0.0.1:1/", authority: "/nowhere.pem")?.cause == .badAuthority)
  }

  @Test func aServerThatSaysNothingTimesOut() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(listener) }
    listen(listener, 4)
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &size) }
    }
    let port = UInt16(bigEndian: address.sin_port)
    let error = try failure("ws://127.0.0.1:\(port)/path?token=secret", timeout: .milliseconds(400))
    #expect(error?.cause == .timedOut)
    #expect(error?.description.contains("secret") == false)
  }

  @Test func aRefusedHandshakeTellsTheStatus() throws {
    let server = try Bench(prepare: { $0.decide = { _ in .reject(status: 401, body: [], contentType: "text/plain") } })
    defer { server.stop() }
    #expect(try failure("ws://127.0.0.1:\(server.port)/")?.cause == .rejected(status: 401))
  }

  @Test func aNameWithSeveralAddressesIsTriedThrough() throws {
    let server = try Bench()
    let client = try Bench.client()
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    // localhost is ::1 and 127.0.0.1 on most machines; the server listens on the second only.
    _ = client.onLoop { _, loop in loop.connect(WebSocketTarget(url: "ws://localhost:\(port)/")) }
    #expect(client.probe.sawClientOpen())
  }

  @Test func headersAreSentAndSendIsBounded() throws {
    let seen = Shared<String>(result: "")
    let server = try Bench(prepare: {
      $0.decide = { request in
        seen.set(
          "\(request.authorization ?? "-") \(request.userAgent ?? "-") \(request.peer.text) \(request.peer.isLoopback)")
        return nil
      }
    })
    let client = try Bench({
      $0.host = nil
      $0.maxOutbox = 1_000
    })
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    let c = client.onLoop { _, loop in
      var target = WebSocketTarget(url: "ws://127.0.0.1:\(port)/")
      target.headers = [("Authorization", "Bearer x")]
      return loop.connect(target)
    }
    #expect(client.probe.sawClientOpen())
    #expect(seen.get() == "Bearer x candled 127.0.0.1 true")
    let taken = client.onLoop { _, loop in (0..<20).map { _ in loop.send(c, text: Array(repeating: 97, count: 100)) } }
    #expect(taken == Array(repeating: true, count: 10) + Array(repeating: false, count: 10))
    _ = server.probe.first { _ in
      server.probe.events.filter { if case .received = $0 { true } else { false } }.count == 10 ? true : nil
    }
    #expect(client.onLoop { _, loop in loop.send(c, text: Array("more".utf8)) })
  }

  @Test func aGivenUpDialReportsNothing() throws {
    let client = try Bench.client()
    defer { client.stop() }
    let silent = SilentListener()
    let port = silent.port
    client.onLoop { _, loop in
      let c = loop.connect(WebSocketTarget(url: "ws://127.0.0.1:\(port)/"))
      loop.post { loop.post { loop.close(c, code: 1000, reason: "", within: .seconds(1)) } }
    }
    for _ in 0..<3_000 where client.onLoop({ _, loop in loop.connections.count }) > 0 { usleep(10_000) }
    #expect(client.onLoop { _, loop in loop.connections.count } == 0)
    #expect(client.probe.events.isEmpty)
  }
}
