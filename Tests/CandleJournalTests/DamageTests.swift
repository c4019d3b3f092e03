import CandleCore
import CandleEngine
import CandleJournal
import CandleTestSupport
import Testing

@Suite struct DamageTests {
  /// A few appends, left as a crash leaves them, and the offsets at which their blocks end.
  private func crashed(_ directory: TestDirectory, appends: Int = 6) throws -> (bytes: [UInt8], ends: [Int]) {
    let journal = try directory.open().journal
    var ends: [Int] = []
    var random = RandomRecords(seed: 21)
    for append in 0..<appends {
      try journal.append([.committed(upTo: UInt64(append)), .tick(random.tick())])
      let bytes = directory.bytes(directory.segments[0])
      ends.append((bytes.lastIndex { $0 != 0 } ?? 0) + 1)
    }
    return (directory.bytes(directory.segments[0]), ends)
  }

  @Test func aTailTornAtAnyByteIsCutAtTheLastGoodBlock() throws {
    let source = TestDirectory()
    let (bytes, ends) = try crashed(source)
    let name = source.segments[0]
    let whole = try source.read().records
    let directory = TestDirectory()
    for length in 0..<ends[5] + 9 {
      for zeros in [true, false] {
        // Cut there, or never written behind there.
        directory.write(
          name, zeros ? bytes[..<length] + Array(repeating: 0, count: 8_192 - length) : Array(bytes[..<length]))
        // Padding and zero bytes at a block's end are not missed.
        let good = ends.filter { end in bytes[min(length, end)..<end].allSatisfy { $0 == 0 } && (zeros || length >= end)
        }.count
        let expected = whole.filter { $0.key <= UInt64(good * 2) }
        let before = try directory.read()
        #expect(before.records == expected)
        let (journal, report) = try directory.open()
        if length >= 64, zeros || length >= 128 {
          #expect(report.damaged.isEmpty && report.lastSequence == UInt64(good * 2))
          #expect(report.bytesCut <= 120)
          if zeros, good > 0, good < 6, length > ends[good - 1] + 8, bytes[length - 1] != 0 {
            #expect(report.bytesCut > 0)
          }
        }
        #expect(try journal.append([.alive(at: 9)]) == report.lastSequence + 1)
        let (records, damage) = try directory.read()
        #expect(damage.isEmpty)
        #expect(
          records == (report.damaged.isEmpty ? expected : [:]).merging([report.lastSequence + 1: .alive(at: 9)]) { $1 })
        journal.close()
        for name in directory.names { directory.write(name, []) }
        for name in directory.names { try SystemCalls.linux.remove(directory.path + "/" + name) }
      }
    }
  }

  @Test func aFlippedBitAnywhereNeverYieldsAWrongRecord() throws {
    let source = TestDirectory()
    let (bytes, ends) = try crashed(source)
    let name = source.segments[0]
    let whole = try source.read().records
    let directory = TestDirectory()
    var lost = 0
    for bit in 0..<ends[5] * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      directory.write(name, changed)
      for (sequence, record) in try directory.read().records { #expect(whole[sequence] == record) }
      let (journal, report) = try directory.open()
      if report.lastSequence < 12 { lost += 1 }
      for (sequence, record) in try directory.read().records { #expect(whole[sequence] == record) }
      journal.close()
      for name in directory.names { try SystemCalls.linux.remove(directory.path + "/" + name) }
    }
    #expect(lost > 1_000)
  }

  @Test func damageInAClosedSegmentIsToldWithItsPlaceAndTheRestIsRead() throws {
    let directory = TestDirectory()
    let journal = try directory.open().journal
    for number in 0..<1_500 { try journal.append([.committed(upTo: UInt64(number))]) }
    journal.close()
    let names = directory.segments
    #expect(names.count > 4)
    let good = directory.bytes(names[1])
    let first = try directory.head(names[1]).first
    let next = try directory.head(names[2]).first
    let whole = try directory.read().records
    for offset in stride(from: 128, to: good.count - 8, by: 53) {
      var changed = good
      changed[offset] ^= 0x10
      directory.write(names[1], changed)
      let (records, damage) = try directory.read()
      // Padding between blocks means nothing.
      if damage.isEmpty {
        #expect(records == whole)
      } else {
        #expect(damage.count == 1 && damage[0].segment == names[1])
        #expect(damage[0].offset <= offset && offset - damage[0].offset < 48)
        #expect(damage[0].bytes == good.count - damage[0].offset)
        #expect(records.count + Int(damage[0].lost ?? 0) == 1_500)
        #expect(records.keys.allSatisfy { $0 < next - damage[0].lost! || $0 >= next })
        #expect(records.allSatisfy { whole[$0.key] == $0.value })
      }
    }
    // A head that is none, a file that is cut, one that is not there.
    directory.write(names[1], Array(repeating: 0x55, count: 300))
    #expect(try directory.read().damage.map(\.flaw) == [.head, .missing])
    directory.write(names[1], good.prefix(1_000))
    let cut = try directory.read()
    #expect(cut.records.count + Int(cut.damage[0].lost!) == 1_500)
    try SystemCalls.linux.remove(directory.path + "/" + names[1])
    #expect(try directory.read().damage.map(\.lost) == [next - first])
    // It does not keep the journal from going on.
    directory.write(names[1], Array(repeating: 0x55, count: 300))
    let (again, report) = try directory.open()
    #expect(report.damaged == [names[1]] && report.lastSequence == 1_500)
    #expect(try again.append([.alive(at: 1)]) == 1_501)
    #expect(directory.names.contains(names[1] + ".damaged"))
  }

  @Test func aSegmentThatWasNotQuiteBegunIsRemovedAndOneThatLostItsHeadIsKept() throws {
    let source = TestDirectory()
    let (bytes, ends) = try crashed(source)
    let blank = Array(repeating: 0, count: 8) + bytes[8...]
    let restated = 128 + 32 + 13
    for (end, isDamaged) in [(8, false), (64, false), (150, false), (restated, false), (ends[0], true)] {
      let directory = TestDirectory()
      directory.write("00000001.segment", blank[..<end] + Array(repeating: 0, count: 8_192 - end))
      #expect(try directory.read().records.isEmpty)
      let (journal, report) = try directory.open()
      #expect(report.damaged.isEmpty != isDamaged)
      #expect(try journal.append([.alive(at: 1)]) == 1)
      #expect(directory.names.contains("00000001.segment.damaged") == isDamaged)
      #expect(try directory.read().damage.isEmpty)
    }
  }

  @Test func randomFilesAreReadOrToldNeverATrap() throws {
    let source = TestDirectory()
    let (bytes, ends) = try crashed(source, appends: 30)
    let directory = TestDirectory()
    var random = RandomRecords(seed: 23)
    for _ in 0..<3_000 {
      var changed = Array(bytes[..<(ends[29] + 200)])
      for _ in 0...random.next() % 8 {
        let at = Int(random.next() % UInt64(changed.count))
        switch random.next() % 3 {
        case 0: changed[at] ^= 1 << UInt8(random.next() % 8)
        case 1: changed[at] = UInt8(truncatingIfNeeded: random.next())
        default:
          for offset in at..<min(at + 16, changed.count) { changed[offset] = UInt8(truncatingIfNeeded: random.next()) }
        }
      }
      if random.next() % 4 == 0 { changed.removeLast(Int(random.next() % UInt64(changed.count))) }
      // Half of them with a good head, so that what follows is looked at.
      if random.next() % 2 == 0, changed.count > 128 { changed.replaceSubrange(..<128, with: bytes[..<128]) }
      directory.write(source.segments[0], changed)
      _ = try directory.read()
    }
    try directory.open().journal.append([.alive(at: 1)])
  }

  @Test func aBlockWhoseBytesAreIntactButNoRecordsIsTold() throws {
    let directory = TestDirectory()
    try directory.open().journal.append([.alive(at: 1), .alive(at: 2)])
    var bytes = directory.bytes(directory.segments[0])
    let block = bytes.withUnsafeBytes { memory in
      (128..<400).lazy.filter { $0 % 8 == 0 }.compactMap { offset in
        JournalBlock(head: UnsafeRawBufferPointer(rebasing: memory[offset...])).map { (offset, $0) }
      }.first { !$0.1.isRestatement && $0.1.count == 2 }
    }
    let (offset, shape) = try #require(block)
    bytes[offset + 32 + 9] = 7
    bytes.withUnsafeMutableBytes { shape.write(at: $0.baseAddress! + offset) }
    directory.write(directory.segments[0], bytes)
    let (records, damage) = try directory.read()
    #expect(records == [1: .alive(at: 1)])
    #expect(damage.map(\.flaw) == [.record] && damage.map(\.lost) == [1] && damage.map(\.offset) == [offset])
  }
}
