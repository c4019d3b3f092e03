import Testing

@testable import CandleNet

@Suite(.serialized) struct MessageTests {
  @Test func wholeFragmentedAndSplitMessagesArriveWhole() throws {
    for role in [ConnectionRole.subscriber, .producer] {
      let server = try Bench(prepare: { $0.role = role })
      defer { server.stop() }
      let socket = RawSocket(port: server.port)
      #expect(socket.upgrade("/v1/stream").contains("101"))
      let big = (0..<300_000).map { UInt8(97 + $0 % 26) }
      var expected: [[UInt8]] = []
      socket.write(RawSocket.frame(1, Array("hello".utf8)))
      expected.append(Array("hello".utf8))
      socket.write(RawSocket.frame(1, []))
      expected.append([])
      socket.write(
        RawSocket.frame(1, Array("a".utf8), final: false) + RawSocket.frame(0, Array("b".utf8), final: false))
      socket.write(RawSocket.frame(9, Array("ping".utf8)))
      socket.write(RawSocket.frame(0, Array("c".utf8)))
      expected.append(Array("abc".utf8))
      socket.write(RawSocket.frame(1, big))
      expected.append(big)
      socket.write(RawSocket.frame(1, Array("x".utf8), final: false) + RawSocket.frame(0, []))
      expected.append(Array("x".utf8))
      for byte in RawSocket.frame(2, [0xff, 0xfe]) { socket.write([byte]) }
      expected.append([0xff, 0xfe])
      // Multi-byte text cut between two fragments inside a character.
      socket.write(RawSocket.frame(1, [0xc3], final: false) + RawSocket.frame(0, [0xa9]))
      expected.append([0xc3, 0xa9])
      socket.write(RawSocket.frame(1, Array("last".utf8)))
      expected.append(Array("last".utf8))
      _ = server.probe.first {
        if case .received(_, let bytes, _) = $0, bytes == Array("last".utf8) { true } else { nil }
      }
      let received: [[UInt8]] = server.probe.events.compactMap {
        if case .received(_, let bytes, _) = $0 { bytes } else { nil }
      }
      #expect(received == expected)
      let pong = socket.readFrame()
      #expect(pong?.opcode == 10 && pong?.payload == Array("ping".utf8))
    }
  }

  @Test(arguments: [false, true]) func aMessageOverTheLimitClosesWith1009(isFragmented: Bool) throws {
    let server = try Bench({ $0.maxMessage = 1_000 })
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    socket.write(RawSocket.frame(1, Array(repeating: 97, count: 1_000)))
    #expect(server.probe.message()?.count == 1_000)
    if isFragmented {
      socket.write(RawSocket.frame(1, Array(repeating: 97, count: 600), final: false))
      socket.write(RawSocket.frame(0, Array(repeating: 97, count: 401)))
    } else {
      socket.write(RawSocket.frame(1, Array(repeating: 97, count: 1_001)))
    }
    let close = socket.readFrame()
    #expect(close?.opcode == 8)
    #expect(close?.payload.prefix(2).elementsEqual([0x03, 0xf1]) == true)
    socket.write(RawSocket.frame(8, [0x03, 0xf1]))
    let end = server.probe.closing
    #expect(end?.0 == 1009)
  }

  @Test func textThatIsNotUTF8ClosesWith1007() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    socket.write(RawSocket.frame(1, Array("tick tick tick ".utf8) + [0xc0, 0xaf]))
    let close = socket.readFrame()
    #expect(close?.opcode == 8)
    #expect(close?.payload.prefix(2).elementsEqual([0x03, 0xef]) == true)
    #expect(!server.probe.events.contains { if case .received = $0 { true } else { false } })
  }

  @Test func utf8IsCheckedToTheLetter() {
    func valid(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes(UTF8Text.isValid) }
    #expect(valid([]))
    #expect(valid(Array("aé漢😀".utf8)))
    for bad: [UInt8] in [
      [0x80], [0xc0, 0x80], [0xc1, 0xbf], [0xe0, 0x9f, 0xbf], [0xed, 0xa0, 0x80], [0xf0, 0x8f, 0xbf, 0xbf],
      [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xc3], [0xe2, 0x82], [0x61, 0xff], [0xf0, 0x9f, 0x98],
    ] {
      #expect(!valid(bad), "\(bad)")
      #expect(!valid(Array(repeating: 97, count: 13) + bad), "\(bad)")
    }
    #expect(valid([0xf4, 0x8f, 0xbf, 0xbf]))
    #expect(valid([0xee, 0x80, 0x80]))
  }

  @Test func pausedReadingHoldsTheMessagesBack() throws {
    let server = try Bench()
    defer { server.stop() }
    let socket = RawSocket(port: server.port)
    socket.upgrade()
    let c = try #require(server.probe.serverConnection)
    server.onLoop { _, loop in loop.pauseReading(c) }
    socket.write(RawSocket.frame(1, Array("later".utf8)))
    let early = server.probe.first(within: 0.2) { if case .received = $0 { true } else { nil } }
    #expect(early == nil)
    server.onLoop { _, loop in loop.resumeReading(c) }
    #expect(server.probe.message() == Array("later".utf8))
  }

  @Test func postsRunInOrderOfPosting() throws {
    let server = try Bench()
    defer { server.stop() }
    let seen = Shared<[[Int]]>(result: Array(repeating: [], count: 4))  // written on the loop thread only
    let threads = (0..<4).map { lane in
      TestThread {
        for number in 0..<5_000 {
          server.loop.post {
            var all = seen.get()!
            all[lane].append(number)
            seen.set(all)
          }
          if number % 500 == 0 { sleepBriefly() }
        }
      }
    }
    for thread in threads { thread.join() }
    _ = server.onLoop { _, _ in 0 }
    for lane in seen.get()! { #expect(lane == Array(0..<5_000)) }
  }
}
