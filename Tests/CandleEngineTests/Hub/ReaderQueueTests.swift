import CandleTestSupport
import CandleWire
import Testing

@testable import CandleEngine

@Suite struct ReaderQueueTests {
  private func frame(_ text: String) -> Frame {
    var copy = text
    return copy.withUTF8 { Frame(text: UnsafeRawBufferPointer($0)) }
  }

  private func fill(_ queue: inout ReaderQueue, _ size: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: size)
    let used = buffer.withUnsafeMutableBytes { queue.fill($0) }
    return Array(buffer.prefix(used))
  }

  private func bytes(_ frame: Frame) -> [UInt8] { withExtendedLifetime(frame) { Array(frame.bytes) } }

  /// The same, without any cleverness.
  private struct Model {
    var waiting: [(bytes: [UInt8], series: Int)] = []
    var handedOut = 0

    private func newestForming(_ series: Int) -> Int? {
      let first = handedOut > 0 ? 1 : 0
      return waiting.indices.last { $0 >= first && waiting[$0].series == series }
    }

    mutating func append(_ bytes: [UInt8]) { waiting.append((bytes, -1)) }

    mutating func appendSettled(_ bytes: [UInt8], _ series: Int) {
      if let at = newestForming(series) { waiting.remove(at: at) }
      // What was said before is said; it is not replaced by what comes behind the closed one.
      for at in waiting.indices where waiting[at].series == series { waiting[at].series = -1 }
      append(bytes)
    }

    mutating func appendForming(_ bytes: [UInt8], _ series: Int, _ conflate: Bool) -> Bool {
      if conflate, let at = newestForming(series) {
        waiting[at].bytes = bytes
        return true
      }
      waiting.append((bytes, series))
      return false
    }

    mutating func fill(_ size: Int) -> [UInt8] {
      var out: [UInt8] = []
      while let first = waiting.first {
        let rest = first.bytes.dropFirst(handedOut)
        if out.isEmpty, rest.count > size {
          handedOut += size
          return Array(rest.prefix(size))
        }
        if rest.count > size - out.count { break }
        out += rest
        waiting.removeFirst()
        handedOut = 0
      }
      return out
    }

    mutating func dropAll() { waiting = handedOut > 0 ? [waiting[0]] : [] }
    var bytes: Int { waiting.reduce(0) { $0 + $1.bytes.count } - handedOut }
  }

  @Test func itBehavesAsAPlainListWould() {
    for seed in 0..<300 {
      var random = SeededGenerator(seed: UInt64(seed))
      var queue = ReaderQueue()
      var model = Model()
      for step in 0..<400 {
        let next = frame(
          "\(step)" + String(repeating: "x", count: random.int(0...(random.chance(1, in: 20) ? 300 : 20))))
        let series = random.int(0...3)
        switch random.int(0...9) {
        case 0...1:
          queue.append(next)
          model.append(bytes(next))
        case 2...3:
          queue.appendSettled(next, series: series)
          model.appendSettled(bytes(next), series)
        case 4...6:
          let conflate = random.chance(1, in: 2)
          let replaced = queue.appendForming(next, series: series, conflate: conflate)
          let expected = model.appendForming(bytes(next), series, conflate)
          #expect(replaced == expected, "seed \(seed) step \(step)")
        case 7...8:
          let size = random.pick([1, 10, 50, 200, 1_000])
          let got = fill(&queue, size)
          let expected = model.fill(size)
          #expect(got == expected, "seed \(seed) step \(step)")
        default:
          if random.chance(1, in: 30) {
            queue.dropAll()
            model.dropAll()
          }
        }
        #expect(queue.bytes == model.bytes, "seed \(seed) step \(step)")
      }
      while !model.waiting.isEmpty {
        let got = fill(&queue, 64)
        let expected = model.fill(64)
        #expect(got == expected)
      }
      let rest = fill(&queue, 64)
      #expect(rest.isEmpty && queue.isEmpty && queue.bytes == 0)
    }
  }

  @Test func aFrameIsNeverSplitUnlessItIsLongerThanTheBuffer() {
    for seed in 0..<100 {
      var random = SeededGenerator(seed: UInt64(seed))
      var queue = ReaderQueue()
      var frames: [[UInt8]] = []
      for step in 0..<60 {
        let next = frame("\(step)" + String(repeating: "y", count: random.int(0...100)))
        frames.append(bytes(next))
        queue.append(next)
      }
      while !frames.isEmpty {
        let size = random.int(30...120)
        var got = fill(&queue, size)
        // Whole frames, or the first part of one that is longer than the buffer, to its end.
        while let first = frames.first, got.count >= first.count, got.prefix(first.count).elementsEqual(first) {
          got.removeFirst(first.count)
          frames.removeFirst()
        }
        guard !got.isEmpty, let first = frames.first else { continue }
        #expect(first.count > size && got.elementsEqual(first.prefix(got.count)), "seed \(seed)")
        frames[0] = Array(first.dropFirst(got.count))
      }
    }
  }

  @Test func aClosedMessageTakesThePlaceOfWhatWasToBeSaidOfTheFormingOne() {
    var queue = ReaderQueue()
    queue.appendForming(frame("forming 1"), series: 1, conflate: true)
    queue.appendForming(frame("forming 2"), series: 2, conflate: true)
    queue.appendSettled(frame("closed 1"), series: 1)
    queue.appendForming(frame("next 1"), series: 1, conflate: true)
    let expected = ["forming 2", "closed 1", "next 1"].flatMap { bytes(frame($0)) }
    let got = fill(&queue, 1_000)
    #expect(got == expected)
  }

  @Test func aMessageThatIsOnItsWayIsNotReplaced() {
    var queue = ReaderQueue()
    queue.appendForming(frame("a forming message"), series: 1, conflate: true)
    var got = fill(&queue, 5)
    let replaced = queue.appendForming(frame("its successor"), series: 1, conflate: true)
    queue.appendSettled(frame("closed"), series: 1)
    got += fill(&queue, 1_000)
    #expect(!replaced && got == bytes(frame("a forming message")) + bytes(frame("closed")))
  }

  @Test func droppingAllKeepsTheRestOfWhatIsOnItsWay() {
    var queue = ReaderQueue()
    queue.append(frame("first"))
    queue.append(frame("second"))
    var got = fill(&queue, 3)
    queue.dropAll()
    #expect(queue.bytes == bytes(frame("first")).count - 3)
    got += fill(&queue, 100)
    #expect(got == bytes(frame("first")) && queue.isEmpty)
    queue.append(frame("third"))
    queue.dropAll()
    #expect(queue.isEmpty && queue.bytes == 0)
  }

  @Test func aBufferWithoutRoomTakesNothing() {
    var queue = ReaderQueue()
    queue.append(frame("x"))
    let used = queue.fill(UnsafeMutableRawBufferPointer(start: nil, count: 0))
    #expect(used == 0 && !queue.isEmpty)
  }
}

@Suite struct OutdatedFormingTests {
  private func frame(_ text: String) -> Frame {
    var copy = text
    return copy.withUTF8 { Frame(text: UnsafeRawBufferPointer($0)) }
  }

  /// What the queue hands out at once, and the series that are owed then.
  private func drain(_ queue: inout ReaderQueue) -> [Int] {
    withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { buffer in
      while queue.fill(buffer) > 0 {}
    }
    var owed: [Int] = []
    queue.takeOwed { owed.append($0) }
    return owed
  }

  @Test func theNewestFormingMessageIsOwedOnceAnOutdatedOneIsHandedOut() {
    var queue = ReaderQueue()
    queue.appendForming(frame("a"), series: 3, conflate: false)
    let other = queue.outdate(series: 4)
    #expect(!other, "nothing of that series waits")
    let outdated = queue.outdate(series: 3)
    #expect(outdated && queue.isWaiting(series: 3))
    let owed = drain(&queue)
    let again = drain(&queue)
    #expect(owed == [3] && again == [], "owed once")
  }

  @Test func aNewerMessageOrACloseSettlesTheDebt() {
    var queue = ReaderQueue()
    queue.appendForming(frame("a"), series: 3, conflate: false)
    _ = queue.outdate(series: 3)
    queue.appendForming(frame("b"), series: 3, conflate: true)
    let afterNewer = drain(&queue)
    #expect(afterNewer == [])
    queue.appendForming(frame("c"), series: 3, conflate: false)
    _ = queue.outdate(series: 3)
    queue.appendSettled(frame("closed"), series: 3)
    let afterClose = drain(&queue)
    #expect(afterClose == [])
  }
}
