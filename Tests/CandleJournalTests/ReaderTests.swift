import CandleCore
import CandleEngine
import CandleJournal
import CandleTestSupport
import Testing

@Suite struct ReaderTests {
  @Test func aReaderFollowsTheWriterOverSegments() throws {
    let directory = TestDirectory()
    let journal = try directory.open().journal
    let reader = JournalReader(directory: directory.path)
    let other = JournalReader(directory: directory.path)
    var seen: UInt64 = 0
    var seenByOther: UInt64 = 0
    var random = RandomRecords(seed: 31)
    for round in 0..<400 {
      try journal.append((0..<Int(random.next() % 40 + 1)).map { _ in random.record() })
      try follow(reader, &seen)
      #expect(seen == journal.lastSequence)
      if round % 50 == 49 {
        try follow(other, &seenByOther)
        #expect(seenByOther == journal.lastSequence)
      }
    }
    #expect(directory.segments.count > 20)
  }

  private func follow(_ reader: JournalReader, _ seen: inout UInt64) throws {
    while let entry = try reader.next() {
      switch entry {
      case .record(let sequence, _):
        #expect(sequence == seen + 1)
        seen = sequence
      case .damage(let damage): Issue.record("\(damage)")
      default: break
      }
    }
  }

  @Test func aReaderOnAnotherThreadSeesWholeAppendsInOrder() async throws {
    let directory = TestDirectory()
    let path = directory.path
    let journal = try directory.open(JournalOptions(segmentBytes: 32_768)).journal
    try journal.append([.committed(upTo: 1)])
    let reading = Task.detached {
      let reader = JournalReader(directory: path)
      var seen: UInt64 = 0
      while seen < 60_000 {
        guard let entry = try reader.next() else { continue }
        switch entry {
        case .record(let sequence, let record):
          #expect(sequence == seen + 1 && record == .committed(upTo: sequence))
          seen = sequence
        case .damage(let damage): Issue.record("\(damage)")
        default: break
        }
      }
      return seen
    }
    while journal.lastSequence < 60_000 {
      let next = journal.lastSequence + 1
      try journal.append((next..<next + 1 + next % 50).map { .committed(upTo: $0) })
    }
    #expect(try await reading.value >= 60_000)
  }

  @Test func aReaderBeginsWhereItIsTold() throws {
    let directory = TestDirectory()
    let journal = try directory.open().journal
    for number in 1...1_500 { try journal.append([.committed(upTo: UInt64(number))]) }
    for from in [0, 1, 2, 700, 1_499, 1_500, 1_501, 9_999] as [UInt64] {
      let (records, damage) = try directory.read(from: from)
      #expect(records.keys.sorted() == Array(min(max(1, from), 1_501)..<1_501) && damage.isEmpty)
      #expect(records.allSatisfy { $0.value == .committed(upTo: $0.key) })
    }
  }

  @Test func segmentsOfOtherDatabasesArePassedOver() throws {
    let directory = TestDirectory()
    try directory.open(epoch: "old").journal.append([.alive(at: 1)])
    let reader = JournalReader(directory: directory.path, epoch: "new")
    #expect(try reader.next() == nil)
    #expect(reader.foreignSegments == 1)
  }

  @Test func aJournalThatIsNotThereIsAnError() {
    let reader = JournalReader(directory: "/nowhere/candles.db.journal")
    let error = #expect(throws: JournalError.self) { try reader.next() }
    #expect(error?.short == "missing" && error?.operation == .read)
  }
}
