import Glibc
import Testing

@testable import CandleNet

@Suite(.serialized) struct StreamTests {
  private func stream(_ payloads: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for payload in payloads { ServerFrame.append(.text, payload, to: &bytes) }
    return bytes
  }

  @Test func coalescedFramesArriveAsMessages() throws {
    let server = try Bench()
    let client = try Bench.client()
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    _ = client.onLoop { _, loop in
      loop.connect(WebSocketTarget(url: "ws://127.0.0.1:\(port)/v1/stream?topic=a%26b&x=1+2"))
    }
    let c = try #require(server.probe.serverConnection)
    #expect(server.probe.events.contains(.opened(c, path: "/v1/stream", query: "topic=a%26b&x=1%202")))
    let payloads = (0..<100).map { Array("message \($0)".utf8) }
    let bytes = stream(payloads)
    server.onLoop { probe, _ in probe.push(c, bytes) }
    let last = Array("message 99".utf8)
    _ = client.probe.first { if case .clientReceived(_, last, _) = $0 { true } else { nil } }
    let received: [[UInt8]] = client.probe.events.compactMap {
      if case .clientReceived(_, let b, _) = $0 { b } else { nil }
    }
    #expect(received == payloads)
  }

  @Test func aFrameOf3MegabytesGoesOutInParts() throws {
    let server = try Bench()
    let client = try Bench({
      $0.host = nil
      $0.maxMessage = 8 << 20
    })
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    _ = client.onLoop { _, loop in loop.connect(WebSocketTarget(url: "ws://127.0.0.1:\(port)/")) }
    let c = try #require(server.probe.serverConnection)
    let big = (0..<3_000_000).map { UInt8(97 + $0 % 23) }
    let bytes = stream([big, Array("after".utf8)])
    server.onLoop { probe, _ in probe.push(c, bytes) }
    let after = Array("after".utf8)
    #expect(client.probe.first { if case .clientReceived(_, after, true) = $0 { true } else { nil } } == true)
    #expect(client.probe.first { if case .clientReceived(_, big, true) = $0 { true } else { nil } } == true)
  }

  /// A ping that comes while a long frame is stuck half way must not be answered in the middle of it.
  @Test func aPongNeverLandsInsideAFrame() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port, receiveBuffer: 4_096)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    let big = (0..<6_000_000).map { UInt8(97 + $0 % 19) }
    let bytes = stream([big])
    server.onLoop { probe, _ in probe.push(c, bytes) }
    usleep(200_000)
    socket.write(RawSocket.frame(9, Array("mid".utf8)))
    usleep(100_000)
    let first = socket.readFrame()
    #expect(first?.opcode == 1)
    #expect(first?.payload == big)
    let second = socket.readFrame()
    #expect(second?.opcode == 10)
    #expect(second?.payload == Array("mid".utf8))
  }

  @Test func pingsAreAnsweredWhileTheStreamFlows() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    let bytes = stream((0..<20_000).map { Array("a message of some length, number \($0)".utf8) })
    server.onLoop { probe, _ in probe.push(c, bytes) }
    socket.write(RawSocket.frame(9, Array("p".utf8)))
    var pongs = 0
    var texts = 0
    while texts < 20_000 || pongs < 1, let frame = socket.readFrame() {
      if frame.opcode == 10 { pongs += 1 } else { texts += 1 }
    }
    #expect(pongs == 1 && texts == 20_000)
  }

  @Test func aStalledReaderIsBoundedAndDoesNotDelayOthers() throws {
    let server = try Bench()
    defer { server.stop() }
    let stalled = RawSocket(port: server.port, receiveBuffer: 4_096)
    stalled.upgrade()
    let c = try #require(server.probe.serverConnection)
    let bytes = stream((0..<3_000).map { _ in Array(repeating: 97, count: 10_000) })
    server.onLoop { probe, _ in probe.push(c, bytes) }
    usleep(300_000)
    let once = server.probe.handedOut.withLock { $0 }
    usleep(300_000)
    // Kernel buffers and one write; the rest stays with the handler.
    #expect(server.probe.handedOut.withLock { $0 } == once)
    #expect(once < 12_000_000, "\(once)")
    let other = RawSocket(port: server.port)
    #expect(other.upgrade().contains("101"))
  }

  @Test func closeCodeAndReasonFollowWhatWasWritten() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    let bytes = stream([Array("before".utf8)])
    server.onLoop { probe, loop in
      probe.push(c, bytes)
      loop.post { loop.post { loop.close(c, code: 1013, reason: "slow consumer", within: .seconds(5)) } }
    }
    #expect(socket.readFrame()?.payload == Array("before".utf8))
    let close = socket.readFrame()
    #expect(close?.opcode == 8)
    #expect(close?.payload == [0x03, 0xf5] + Array("slow consumer".utf8))
    socket.write(RawSocket.frame(8, [0x03, 0xf5]))
    let end = try #require(server.probe.closing)
    #expect(end.0 == 1013 && end.1 == "slow consumer")
  }

  @Test func aCloseOfThePeerIsReported() throws {
    let server = try Bench()
    let client = try Bench.client()
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    let d = client.onLoop { _, loop in loop.connect(WebSocketTarget(url: "ws://127.0.0.1:\(port)/")) }
    #expect(client.probe.sawClientOpen())
    client.onLoop { _, loop in
      loop.send(d, text: Array("bye".utf8))
      loop.close(d, code: 4001, reason: "enough", within: .seconds(2))
    }
    #expect(server.probe.message() == Array("bye".utf8))
    let end = try #require(server.probe.closing)
    #expect(end.0 == 4001 && end.1 == "enough")
    #expect(client.probe.clientEnd == "4001 enough")
  }

  @Test func closeWaitsForTheEndOfAFrameHandedOutInPart() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port, receiveBuffer: 4_096)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    let big = [UInt8](repeating: 98, count: 8_000_000)
    let bytes = stream([big])
    server.onLoop { probe, _ in probe.push(c, bytes) }
    usleep(200_000)
    server.onLoop { _, loop in loop.close(c, code: 1013, reason: "slow consumer", within: .seconds(5)) }
    #expect(socket.readFrame()?.payload.count == big.count)
    let close = socket.readFrame()
    #expect(close?.opcode == 8)
    #expect(close?.payload == [0x03, 0xf5] + Array("slow consumer".utf8))
  }

  @Test func aPeerThatDoesNotReadIsCut() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port, receiveBuffer: 4_096)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    let bytes = stream((0..<3_000).map { _ in Array(repeating: 97, count: 10_000) })
    server.onLoop { probe, _ in probe.push(c, bytes) }
    usleep(200_000)
    let start = LoopClock.now()
    server.onLoop { _, loop in loop.close(c, code: 1013, reason: "slow consumer", within: .milliseconds(400)) }
    #expect(server.probe.closing != nil)
    let took = Double(LoopClock.now() - start) / 1e9
    #expect(took > 0.35 && took < 2, "\(took)")
  }

  @Test func aPeerThatNeverAnswersTheCloseIsCut() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    server.onLoop { _, loop in loop.close(c, code: 1000, reason: "", within: .milliseconds(300)) }
    #expect(socket.readFrame()?.opcode == 8)
    #expect(server.probe.closing?.0 == 1000)
  }

  @Test func stopClosesEverybodyWith1001() throws {
    let server = try Bench()
    let client = try Bench.client()
    let port = server.port
    _ = client.onLoop { _, loop in loop.connect(WebSocketTarget(url: "ws://127.0.0.1:\(port)/")) }
    #expect(client.probe.sawClientOpen())
    let idle = RawSocket(port: port)
    idle.upgrade()
    _ = server.probe.first { _ in
      server.probe.events.filter { if case .opened = $0 { true } else { false } }.count == 2 ? true : nil
    }
    let start = LoopClock.now()
    server.loop.stop(deadline: .seconds(1))
    #expect(client.probe.clientEnd?.hasPrefix("1001") == true)
    #expect(idle.readFrame()?.payload == [0x03, 0xe9])
    server.loop.join()
    #expect(Double(LoopClock.now() - start) / 1e9 < 2)
    #expect(server.probe.events.last == .finished)
    #expect(server.probe.events.filter { if case .closed(_, 1001, _) = $0 { true } else { false } }.count == 2)
    client.stop()
    #expect(RawSocket(port: port).upgrade() == "")
  }

  @Test func aSilentPeerIsPingedAndThenCut() throws {
    let server = try Bench({ $0.idlePing = .init(interval: .seconds(1), timeout: .seconds(1)) })
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    #expect(socket.readFrame()?.opcode == 9)
    let start = LoopClock.now()
    #expect(server.probe.closing != nil)
    #expect(Double(LoopClock.now() - start) / 1e9 < 4)
  }

  @Test func aPongKeepsTheConnection() throws {
    let server = try Bench({ $0.idlePing = .init(interval: .seconds(1), timeout: .seconds(1)) })
    let client = try Bench.client()
    defer {
      client.stop()
      server.stop()
    }
    let port = server.port
    _ = client.onLoop { _, loop in loop.connect(WebSocketTarget(url: "ws://127.0.0.1:\(port)/")) }
    #expect(client.probe.sawClientOpen())
    #expect(client.probe.first(within: 4) { if case .clientClosed = $0 { true } else { nil } } == nil)
  }

  @Test func turnIsCalledAtTheInstantAskedFor() throws {
    let late = Shared<[Int64]>(result: [])
    let server = try Bench(prepare: { probe in
      var wanted: Int64?
      probe.onTurn = { _ in
        let now = LoopClock.now()
        if let due = wanted, now >= due {
          late.set(late.get()! + [now - due])
          wanted = nil
        }
        if wanted == nil { wanted = now + 3_300_000 }
        return .at(wanted)
      }
    })
    // On a loaded machine most come late; a clock of whole milliseconds, or coarser, would let none be in time.
    for _ in 0..<1_000 where late.get()!.count < 40 { usleep(10_000) }
    server.stop()
    let all = late.get()!.sorted()
    #expect(all.count >= 40)
    #expect(all.first ?? .max < 1_000_000, "the best was \(all.first ?? .max) ns late")
  }

  /// After a stall the daemon reads its sockets dry before it lets time pass: `.again` makes passes that do not wait.
  @Test(arguments: Bench.pollings) func againReadsWhatTheSocketsHold(
    polling: NetConfiguration.Polling
  ) throws {
    let seen = Shared<[Int]>(result: [])
    let server = try Bench({ $0.polling = polling }) { probe in
      var passes = -1
      var count = 0
      // 1 KiB a reading, so that one pass is not enough; all of it fits into the kernel.
      probe.role = .subscriber
      probe.onReceived = { _, message, _ in
        if message == Array("stall".utf8) {
          usleep(200_000)
          passes = 0
        }
        count += 1
      }
      probe.onTurn = { loop in
        guard passes >= 0 else { return .at(nil) }
        passes += 1
        if loop.receivedInPass { return .again }
        seen.set([count, passes])
        passes = -1
        return .at(nil)
      }
    }
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    socket.write(RawSocket.frame(1, Array("stall".utf8)))
    usleep(50_000)
    for _ in 0..<10 { socket.write(RawSocket.frame(2, [UInt8](repeating: 1, count: 2_000))) }
    usleep(500_000)
    let result = try #require(seen.get())
    #expect(result.first == 11 && (result.last ?? 0) > 10, "\(result)")
  }
}
