import CandleCore
import CandleEngine
import CandleJournal
import Testing

@Suite struct KeepTests {
  /// Four closed segments of 8 KiB that only `keep` holds, and one that is open, with one laid out ahead.
  private func journal(_ directory: TestDirectory) throws -> Journal {
    var options = JournalOptions.small
    options.keep = 1_000_000
    var system = SystemCalls.linux
    system.wallTime = { 1_000_000 }
    let journal = try directory.open(options, system: system).journal
    let filler = [JournalRecord](repeating: .alive(at: 0), count: 800)
    for horizon in [1, 1, 50, 1, 1] as [Milliseconds] {
      try journal.append(filler, horizon: horizon)
      journal.settle()
    }
    return journal
  }

  @Test func beyondItsBytesTheOldestThatAreOnlyKeptGo() throws {
    let directory = TestDirectory()
    let journal = try journal(directory)
    let bytes = journal.status.bytesOnDisk
    #expect(journal.drop(horizonBefore: 100, now: 1_000_000, mostBytes: bytes) == 0)
    #expect(journal.drop(horizonBefore: 100, now: 1_000_000, mostBytes: bytes - 1) == 1)
    journal.settle()
    #expect(journal.status.bytesOnDisk <= bytes - 1)
  }

  @Test func whatIsNeededStaysWhateverItsBytes() throws {
    let directory = TestDirectory()
    let journal = try journal(directory)
    #expect(journal.drop(horizonBefore: 50, now: 1_000_000, mostBytes: 0) == 2)
    #expect(journal.drop(horizonBefore: 100, committed: 0, now: 1_000_000, mostBytes: 0) == 0)
  }
}
