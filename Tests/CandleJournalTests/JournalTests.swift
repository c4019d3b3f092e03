import CandleCore
import CandleEngine
import CandleJournal
import CandleTestSupport
import Testing

@Suite struct JournalTests {
  @Test func theSequenceGoesOnOverSegmentsAndOpenings() throws {
    let directory = TestDirectory()
    var random = RandomRecords(seed: 11)
    var written: [JournalRecord] = []
    for opening in 0..<6 {
      let (journal, report) = try directory.open()
      #expect(report.lastSequence == UInt64(written.count) && report.bytesCut == 0)
      #expect(journal.lastSequence == UInt64(written.count))
      for _ in 0..<60 {
        let records = (0..<Int(random.next() % 30)).map { _ in random.record() }
        written += records
        #expect(try journal.append(records) == UInt64(written.count))
      }
      // Every second time the process just ends.
      if opening % 2 == 0 { journal.close() }
    }
    let (records, damage) = try directory.read()
    #expect(damage.isEmpty)
    #expect((1...UInt64(written.count)).map { records[$0] } == written)
    #expect(directory.segments.count > 10)
  }

  @Test func eachSegmentRestatesWhatItsReaderMustKnow() throws {
    let directory = TestDirectory()
    let (journal, _) = try directory.open()
    journal.restate = { writer in
      writer.symbol(3, name: "ETHUSDT")
      writer.listening(3, .began, at: 5)
    }
    for _ in 0..<3_000 { try journal.append([.alive(at: 1)]) }
    journal.close()
    let reader = JournalReader(directory: directory.path)
    var heads = 0
    while let entry = try reader.next() {
      guard case .segment(let head) = entry else { continue }
      heads += 1
      #expect(head.epoch == "e")
      #expect(try reader.next() == .restated(.symbol(3, name: "ETHUSDT")))
      #expect(try reader.next() == .restated(.listening(3, .began, at: 5)))
      #expect(try reader.next() == .record(head.first, .alive(at: 1)))
    }
    #expect(heads == directory.segments.count && heads > 3)
  }

  @Test func anAppendThatDoesNotFitGoesWholeIntoTheNextSegment() throws {
    let directory = TestDirectory()
    let (journal, _) = try directory.open()
    try journal.append(Array(repeating: .alive(at: 1), count: 500))
    try journal.append((0..<600).map { .committed(upTo: $0) })
    let reader = JournalReader(directory: directory.path)
    var inSecond = 0
    while let entry = try reader.next() {
      if case .record(let sequence, .committed) = entry {
        inSecond += 1
        #expect(sequence > 500 && reader.appendStart == 501)
      }
    }
    #expect(inSecond == 600 && directory.begun.count == 2)
  }

  @Test func anAppendLargerThanASegmentIsRefusedWhole() throws {
    let directory = TestDirectory()
    let (journal, _) = try directory.open()
    for _ in 0..<3 {
      try journal.append([.alive(at: 1)])
      let before = journal.lastSequence
      let error = #expect(throws: JournalError.self) {
        try journal.append(Array(repeating: .alive(at: 2), count: 2_000))
      }
      #expect(error?.short == "too_large" && journal.lastSequence == before)
    }
    journal.restate = { for number in 0..<2_000 { $0.symbol(Int32(number), name: "X") } }
    let error = #expect(throws: JournalError.self) {
      for _ in 0..<2_000 { try journal.append([.alive(at: 1)]) }
    }
    #expect(error?.short == "too_large" && error?.operation == .begin)
    let (records, damage) = try directory.read()
    #expect(UInt64(records.count) == journal.lastSequence && damage.isEmpty)
    #expect(records.values.allSatisfy { $0 == .alive(at: 1) })
  }

  @Test func aNameThatIsTooLongIsRefusedWithTheWholeAppend() throws {
    let directory = TestDirectory()
    let (journal, _) = try directory.open()
    let error = #expect(throws: JournalError.self) {
      try journal.append([.alive(at: 1), .symbol(1, name: String(repeating: "A", count: 256)), .alive(at: 2)])
    }
    #expect(error?.short == "name_too_long" && journal.lastSequence == 0)
    #expect(throws: JournalError.self) { try directory.open(epoch: String(repeating: "e", count: 33)) }
    #expect(try journal.append([.alive(at: 3)]) == 1)
  }

  @Test func numberingGoesOnBehindWhatTheDatabaseHolds() throws {
    let directory = TestDirectory()
    var (journal, _) = try directory.open()
    try journal.append([.alive(at: 1)])
    journal.close()
    (journal, _) = try directory.open(committed: 100)
    #expect(try journal.append([.alive(at: 2)]) == 101)
    let (records, damage) = try directory.read()
    #expect(records == [1: .alive(at: 1), 101: .alive(at: 2)])
    #expect(damage.map(\.flaw) == [.missing] && damage.map(\.lost) == [99])
  }

  @Test func theTicksOfAnotherDatabaseAreSetAsideAndNeverRead() throws {
    let directory = TestDirectory()
    for _ in 0..<2 {
      let (old, _) = try directory.open(epoch: "old")
      try old.append([.alive(at: 1)])
      old.close()
      let (journal, report) = try directory.open(epoch: "new")
      #expect(report.foreign.count == 1 && report.lastSequence == 0)
      #expect(try journal.append([.alive(at: 2)]) == 1)
      journal.close()
      #expect(try directory.read().records == [1: .alive(at: 2)])
    }
    // Nothing of either was overwritten: old, new, old.
    #expect(directory.names.filter { $0.contains(".foreign") }.count == 3)
  }

  @Test func aSegmentOfALaterFormatIsLeftAlone() throws {
    let directory = TestDirectory()
    var head = [UInt64](repeating: 0, count: 64)
    head.withUnsafeMutableBytes { memory in
      let start = memory.baseAddress!
      JournalSegment(first: 1, epoch: "e").write(at: start)
      start.storeBytes(of: 2, toByteOffset: 8, as: UInt32.self)
      start.storeBytes(of: JournalChecksum.of(start + 8, count: 48, seed: 0), toByteOffset: 56, as: UInt64.self)
      directory.write("00000001.segment", Array(memory))
    }
    let error = #expect(throws: JournalError.self) { try directory.open() }
    #expect(error?.cause == .newer(found: 2, known: 1))
    #expect(throws: JournalError.self) { try directory.read() }
    #expect(directory.names == ["00000001.segment"])
  }

  @Test func afterCloseNothingIsTaken() throws {
    let directory = TestDirectory()
    let (journal, _) = try directory.open()
    try journal.append([.alive(at: 1)])
    journal.close()
    journal.close()
    let error = #expect(throws: JournalError.self) { try journal.append([.alive(at: 2)]) }
    #expect(error?.short == "closed")
    #expect(directory.names == ["00000001.segment"] && directory.bytes(directory.names[0]).count < 8_192)
  }
}
