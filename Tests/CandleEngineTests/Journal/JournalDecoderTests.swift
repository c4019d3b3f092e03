import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct JournalDecoderTests {
  @Test func randomBytesAreReadOrRefusedNeverATrap() {
    var random = RandomRecords(seed: 3)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = (0..<Int(random.next() % 120)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if !bytes.isEmpty { bytes[0] = UInt8(random.next() % 6) | bytes[0] & 0xf8 }
      do { _ = try decoded(bytes) } catch { refused += 1 }
    }
    #expect(refused > 10_000)
  }

  @Test func mutatedRecordsAreReadOrRefusedNeverATrap() {
    var random = RandomRecords(seed: 4)
    for _ in 0..<20_000 {
      var bytes = encoded((0..<3).map { _ in random.record() })
      for _ in 0...random.next() % 3 {
        bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8)
      }
      if random.next() % 2 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      // What is read must be something that the rest of the program can hold.
      for record in (try? decoded(bytes)) ?? [] {
        guard case .tick(let entry) = record else { continue }
        _ = FixedSum.product(entry.tick.price, entry.tick.volume)
        _ = entry.tick.price.description
        _ = Timeframe.M1.openTime(of: entry.tick.time.milliseconds)
      }
    }
  }

  @Test func aRecordCutAnywhereIsRefused() throws {
    var random = RandomRecords(seed: 5)
    for _ in 0..<500 {
      let bytes = encoded([random.record()])
      for length in 1..<bytes.count {
        #expect(throws: JournalFlaw.record) { try decoded(Array(bytes[..<length])) }
      }
    }
  }

  @Test(arguments: [0, 6, 7, 0x0a, 0x0b, 0x0c, 0x0d] as [UInt8])
  func anUnknownKindIsRefused(kind: UInt8) {
    #expect(throws: JournalFlaw.record) { try decoded([kind] + Array(repeating: 0, count: 40)) }
  }

  @Test func aNumberThatCannotBeIsRefused() {
    for price in [Fixed(coefficient: 1_000_000_000_000_000_000, scale: 0), Fixed(coefficient: 1, scale: 19)] {
      let entry = JournalTick(Tick(time: Timestamp(milliseconds: 1), price: price), venue: 0, serverTime: 1)
      #expect(throws: JournalFlaw.record) { try decoded(encoded([.tick(entry)])) }
    }
  }
}
