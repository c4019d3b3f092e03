import Glibc
import Testing

@testable import CandleNet

@Suite(.serialized) struct TLSTests {
  /// A private authority, and a certificate of it for localhost and 127.0.0.1, or for another name.
  struct Certificates {
    let folder: String
    var authority: String { folder + "/ca.pem" }

    init() {
      var template = Array("/tmp/candle-net-XXXXXX".utf8CString)
      folder = String(cString: mkdtemp(&template))
      let script = """
        cd \(folder) && openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=test-ca
        for n in good wrong; do
          [ $n = good ] && san=DNS:localhost,IP:127.0.0.1 || san=DNS:elsewhere.example
          openssl req -newkey rsa:2048 -nodes -keyout $n.key -out $n.csr -subj /CN=$n
          printf "subjectAltName=$san" > $n.ext
          openssl x509 -req -in $n.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $n.pem -extfile $n.ext
        done
        """
      _ = ("(" + script + ") >/dev/null 2>&1").withCString { system($0) }
    }

    func identity(_ name: String) -> NetConfiguration.TLSIdentity {
      .init(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    }
  }

  static let certificates = Certificates()

  private func dial(_ port: Int, host: String = "localhost", authority: String?) throws -> (Bench, ConnectionID) {
    let client = try Bench({
      $0.host = nil
      $0.maxMessage = 16 << 20
    })
    let c = client.onLoop { _, loop in
      var target = WebSocketTarget(url: "wss://\(host):\(port)/")
      target.authority = authority
      return loop.connect(target)
    }
    return (client, c)
  }

  @Test func aPrivateAuthorityIsTrustedOnlyWhenNamed() throws {
    let server = try Bench({ $0.tls = Self.certificates.identity("good") })
    defer { server.stop() }
    for host in ["localhost", "127.0.0.1"] {
      let (client, c) = try dial(server.port, host: host, authority: Self.certificates.authority)
      defer { client.stop() }
      #expect(client.probe.sawClientOpen())
      client.onLoop { _, loop in _ = loop.send(c, text: Array("over TLS".utf8)) }
      #expect(server.probe.message() == Array("over TLS".utf8))
    }
    let (stranger, _) = try dial(server.port, authority: nil)
    defer { stranger.stop() }
    #expect(stranger.probe.failure?.cause == .untrusted, "\(stranger.probe.failure as Any)")
  }

  @Test func aCertificateForAnotherHostIsRefused() throws {
    let server = try Bench({ $0.tls = Self.certificates.identity("wrong") })
    defer { server.stop() }
    let (client, _) = try dial(server.port, authority: Self.certificates.authority)
    defer { client.stop() }
    #expect(client.probe.failure?.cause == .wrongHost, "\(client.probe.failure as Any)")
  }

  @Test func aCertificateAndAKeyThatDoNotFitAreRefused() {
    let good = Self.certificates.identity("good")
    let wrong = Self.certificates.identity("wrong")
    var configuration = Bench.configuration
    configuration.tls = .init(certificate: good.certificate, key: wrong.key)
    #expect(throws: NetError.self) { _ = try EventLoop(configuration) }
  }

  @Test func coalescedAndSplitFramesSurviveTLS() throws {
    let server = try Bench({ $0.tls = Self.certificates.identity("good") })
    defer { server.stop() }
    let (client, _) = try dial(server.port, authority: Self.certificates.authority)
    defer { client.stop() }
    let c = try #require(server.probe.serverConnection)
    var bytes: [UInt8] = []
    let payloads = (0..<5_000).map { number in
      Array("message \(number) ".utf8) + [UInt8](repeating: 97, count: number % 700)
    }
    for payload in payloads { ServerFrame.append(.text, payload, to: &bytes) }
    let big = (0..<3_000_000).map { UInt8(97 + $0 % 23) }
    ServerFrame.append(.text, big, to: &bytes)
    let all = bytes
    server.onLoop { probe, _ in probe.push(c, all) }
    #expect(client.probe.first { if case .clientReceived(_, big, true) = $0 { true } else { nil } } == true)
    let received: [[UInt8]] = client.probe.events.compactMap {
      if case .clientReceived(_, let b, _) = $0 { b } else { nil }
    }
    #expect(received == payloads + [big])
  }

  /// The client stops reading, the server's TLS writes stall half way, and all arrives once it reads on.
  @Test func aStallOverTLSIsBoundedAndLosesNothing() throws {
    let server = try Bench({ $0.tls = Self.certificates.identity("good") })
    defer { server.stop() }
    let (client, d) = try dial(server.port, authority: Self.certificates.authority)
    defer { client.stop() }
    client.probe.keepsClientMessages = false
    let c = try #require(server.probe.serverConnection)
    #expect(client.probe.sawClientOpen())
    client.onLoop { _, loop in loop.pauseReading(d) }
    var bytes: [UInt8] = []
    for _ in 0..<3_000 { ServerFrame.append(.text, [UInt8](repeating: 98, count: 10_000), to: &bytes) }
    let all = bytes
    server.onLoop { probe, _ in probe.push(c, all) }
    usleep(400_000)
    let once = server.probe.handedOut.withLock { $0 }
    usleep(300_000)
    #expect(server.probe.handedOut.withLock { $0 } == once)
    #expect(once < 12_000_000, "\(once)")
    client.onLoop { _, loop in loop.resumeReading(d) }
    let end = LoopClock.now() + 15_000_000_000
    while client.probe.clientMessages.withLock({ $0 }) < 3_000, LoopClock.now() < end { usleep(5_000) }
    #expect(client.probe.clientMessages.withLock { $0 } == 3_000)
  }

  @Test func httpsDocumentsAreFetched() throws {
    let server = try Bench({ $0.tls = Self.certificates.identity("good") }) { probe in
      probe.onRequest = { [unowned probe] r, _ in
        probe.loop.respond(r, HTTPResponse(contentType: "text/plain", body: [UInt8](repeating: 99, count: 2_000_000)))
      }
    }
    let client = try Bench.client()
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    let authority = Self.certificates.authority
    let answers = Shared<[String]>(result: [])
    client.onLoop { _, loop in
      loop.get("https://localhost:\(port)/x", authority: authority) { result in
        let text = (try? result.get()).map { "\($0.status) \($0.body.count)" } ?? "\(result)"
        answers.set(answers.get()! + [text])
      }
      loop.get("https://localhost:\(port)/x") { result in
        if case .failure(let error) = result { answers.set(answers.get()! + [error.shortForm]) }
      }
    }
    let end = LoopClock.now() + 10_000_000_000
    while answers.get()!.count < 2, LoopClock.now() < end { usleep(2_000) }
    #expect(answers.get()!.sorted() == ["200 2000000", "untrusted"])
  }
}
