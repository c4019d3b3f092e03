import CandleCore
import CandleEngine
import CandleTestSupport
import Testing

@Suite struct JournalRecordTests {
  @Test func everyRecordComesBackAsItWasWritten() throws {
    var random = RandomRecords(seed: 1)
    for _ in 0..<2_000 {
      let records = (0..<Int(random.next() % 40)).map { _ in random.record() }
      #expect(try decoded(encoded(records)) == records)
    }
  }

  @Test func aTickOfARunningStreamTakesAtMost40Bytes() throws {
    let time: Milliseconds = 1_700_000_000_000
    let entry = JournalTick(
      Tick(
        symbol: 99_999, time: Timestamp(nanoseconds: time * 1_000_000 - 150_000_000), price: "36500.25",
        volume: "12.34567", id: .number(3_400_000_000), takerSide: .buy), venue: 7, serverTime: time)
    let first = encoded([.tick(entry)]).count
    let second = encoded([.tick(entry), .tick(entry)]).count - first
    #expect(first <= 40)
    #expect(second <= 26)
  }

  @Test func aNameLongerThanItsLengthCanSayIsRefusedWithNothingWritten() {
    withUnsafeTemporaryAllocation(byteCount: 1_024, alignment: 8) { memory in
      var encoder = JournalEncoder(memory.baseAddress!)
      let longest = String(repeating: "A", count: JournalEncoder.maximumName)
      let refused = encoder.symbol(1, name: longest + "A")
      #expect(!refused)
      #expect(encoder.cursor == memory.baseAddress! && encoder.count == 0)
      let taken = encoder.symbol(1, name: longest)
      #expect(taken)
      #expect(encoder.cursor == memory.baseAddress! + JournalEncoder.maximumRecord)
    }
  }

  @Test func noRecordIsLongerThanTheLongest() {
    var random = RandomRecords(seed: 2)
    for _ in 0..<20_000 { #expect(encoded([random.record()]).count <= JournalEncoder.maximumRecord) }
  }
}

func encoded(_ records: [JournalRecord]) -> [UInt8] {
  let capacity = (records.count + 1) * (JournalEncoder.maximumRecord + JournalEncoder.slack)
  return withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 8) { memory in
    var encoder = JournalEncoder(memory.baseAddress!)
    for record in records {
      let isTaken = encoder.record(record)
      #expect(isTaken)
    }
    #expect(encoder.count == records.count)
    return Array(memory[..<(encoder.cursor - memory.baseAddress!)])
  }
}

func decoded(_ bytes: [UInt8]) throws -> [JournalRecord] {
  try bytes.withUnsafeBytes { buffer in
    var decoder = JournalDecoder(buffer)
    var records: [JournalRecord] = []
    while let record = try decoder.next() { records.append(record) }
    return records
  }
}
