import CandleCore
import CandleEngine
import Testing

@Suite struct JournalFrameTests {
  @Test func aBlockWithAnyBitFlippedIsNotIntact() {
    let records = encoded([.alive(at: 7), .committed(upTo: 9)])
    let block = JournalBlock(length: records.count, count: 2, isRestatement: false, sequence: 41, horizon: 60_000)
    let bytes = framed(block, records)
    #expect(bytes.withUnsafeBytes { JournalBlock(head: $0) == block && JournalBlock.isIntact($0) })
    for bit in 0..<bytes.count * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(!changed.withUnsafeBytes { JournalBlock.isIntact($0) })
    }
  }

  @Test func aRestatementDoesNotMoveTheSequence() {
    var block = JournalBlock(length: 9, count: 3, isRestatement: true, sequence: 41, horizon: .min)
    let bytes = framed(block, Array(repeating: 4, count: 9))
    #expect(bytes.withUnsafeBytes { JournalBlock(head: $0) } == block)
    #expect(block.next == 41)
    block.isRestatement = false
    #expect(block.next == 44)
  }

  @Test func aHeadWithAnyBitFlippedIsFlawedAndASealNone() {
    let segment = JournalSegment(first: 420, epoch: "7f3c0000000000000000000000000001")
    let seal = JournalSeal(next: 1_000, end: 16_000, horizon: 60_000, closedAt: 1_700_000_000_000)
    var bytes = [UInt8](repeating: 0xff, count: JournalSegment.headBytes)
    bytes.withUnsafeMutableBytes { memory in
      segment.write(at: memory.baseAddress!)
      #expect(JournalSeal(head: UnsafeRawBufferPointer(memory), first: 420) == nil)
      seal.write(at: memory.baseAddress! + JournalSeal.offset, first: 420)
    }
    #expect(bytes.withUnsafeBytes { JournalSegment.read($0) } == .segment(segment))
    #expect(bytes.withUnsafeBytes { JournalSeal(head: $0, first: 420) } == seal)
    #expect(bytes.withUnsafeBytes { JournalSeal(head: $0, first: 421) } == nil)
    for bit in 0..<104 * 8 {
      var changed = bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      changed.withUnsafeBytes { memory in
        if bit < 64 * 8 {
          #expect(JournalSegment.read(memory) == .flawed)
        } else {
          #expect(JournalSeal(head: memory, first: 420) == nil)
        }
      }
    }
    #expect([UInt8](repeating: 0, count: 50).withUnsafeBytes { JournalSegment.read($0) } == .blank)
    #expect([].withUnsafeBytes { JournalSegment.read($0) } == .blank)
    #expect(bytes[..<127].withUnsafeBytes { JournalSegment.read($0) } == .flawed)
    bytes.replaceSubrange(..<8, with: Array(repeating: 0, count: 8))
    #expect(bytes.withUnsafeBytes { JournalSegment.read($0) } == .blank)
  }

  private func framed(_ block: JournalBlock, _ records: [UInt8]) -> [UInt8] {
    var words = [UInt64](repeating: 0, count: (JournalBlock.headBytes + records.count + 7) / 8)
    return words.withUnsafeMutableBytes { memory in
      UnsafeMutableRawBufferPointer(rebasing: memory[JournalBlock.headBytes...]).copyBytes(from: records)
      block.write(at: memory.baseAddress!)
      return Array(memory[..<(JournalBlock.headBytes + records.count)])
    }
  }
}
