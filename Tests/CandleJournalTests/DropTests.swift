import CandleCore
import CandleEngine
import CandleJournal
import Glibc
import Testing

@Suite struct DropTests {
  private let filler = [JournalRecord](repeating: .alive(at: 0), count: 800)

  /// One segment an append, with these horizons; the last one is open.
  private func journal(_ directory: TestDirectory, horizons: [Milliseconds], keep: Milliseconds = 0) throws -> Journal {
    var options = JournalOptions.small
    options.keep = keep
    var system = SystemCalls.linux
    system.wallTime = { 1_000_000 }
    let journal = try directory.open(options, system: system).journal
    for horizon in horizons { try journal.append(filler, horizon: horizon) }
    return journal
  }

  @Test func segmentsGoOldestFirstOnceTheirHorizonHasPassed() throws {
    let directory = TestDirectory()
    let journal = try journal(directory, horizons: [100, 200, 50, 300, 10])
    #expect(journal.drop(horizonBefore: 100, now: 0) == 0)
    #expect(journal.drop(horizonBefore: 101, now: 0) == 1)
    // The third could go, the second must stay.
    #expect(journal.drop(horizonBefore: 200, now: 0) == 0)
    #expect(journal.drop(horizonBefore: 201, now: 0) == 2)
    // The open one never goes.
    #expect(journal.drop(horizonBefore: .max, now: 0) == 1)
    #expect(journal.drop(horizonBefore: .max, now: 0) == 0)
    journal.settle()
    #expect(directory.begun.count == 1 && journal.status.segments == 1)
    #expect(try directory.read().records.keys.min() == 3_201)
    #expect(journal.status.bytesOnDisk == 16_384)
  }

  @Test func whatTheStoreDoesNotHoldStays() throws {
    let directory = TestDirectory()
    let journal = try journal(directory, horizons: [1, 1, 1])
    #expect(journal.drop(horizonBefore: 2, committed: 799, now: 0) == 0)
    #expect(journal.drop(horizonBefore: 2, committed: 800, now: 0) == 1)
    #expect(journal.drop(horizonBefore: 2, committed: 1_599, now: 0) == 0)
  }

  @Test func keptSegmentsStayThatLongAfterTheyWereClosed() throws {
    let directory = TestDirectory()
    let journal = try journal(directory, horizons: [1, 1, 1], keep: 500)
    #expect(journal.drop(horizonBefore: 2, now: 1_000_499) == 0)
    #expect(journal.drop(horizonBefore: 1, now: 1_000_500) == 0)
    #expect(journal.drop(horizonBefore: 2, now: 1_000_500) == 2)
  }

  @Test func horizonsAreKnownAfterARestart() throws {
    let directory = TestDirectory()
    for closes in [true, false] {
      let journal = try journal(directory, horizons: [100, 200])
      if closes { journal.close() }
    }
    let journal = try directory.open().journal
    #expect(journal.status.segments == 4)
    #expect(journal.drop(horizonBefore: 101, now: 0) == 1)
    #expect(journal.drop(horizonBefore: 200, now: 0) == 0)
    #expect(journal.drop(horizonBefore: 201, now: 0) == 3)
    journal.settle()
    #expect(directory.begun.isEmpty)
    #expect(try journal.append([.alive(at: 1)]) == 3_201)
  }

  @Test func beyondItsBytesTheJournalIsFullUntilSomethingGoes() throws {
    let directory = TestDirectory()
    var options = JournalOptions.small
    options.maximumBytes = 3 * 8_192
    let journal = try directory.open(options).journal
    for _ in 0..<3 {
      try journal.append(filler)
      journal.settle()
    }
    let before = journal.lastSequence
    for _ in 0..<3 {
      let error = #expect(throws: JournalError.self) { try journal.append(filler) }
      #expect(error?.short == "full" && journal.lastSequence == before)
      journal.settle()
    }
    #expect(journal.status.preparation?.short == "full" && journal.status.bytesOnDisk <= 3 * 8_192)
    #expect(journal.drop(horizonBefore: .max, now: 0) == 2)
    journal.settle()
    var last: UInt64?
    for _ in 0..<2_000 where last == nil {
      // The thread of the journal tries again in its own time.
      usleep(1_000)
      last = try? journal.append(filler)
      journal.settle()
    }
    #expect(last == before + 800)
    #expect(try directory.read().damage.isEmpty)
  }

  @Test func whatCannotBeRemovedIsTriedAgain() throws {
    let directory = TestDirectory()
    let plan = FaultPlan(at: 0, .io)
    let journal = try directory.open(system: plan.system).journal
    for _ in 0..<3 { try journal.append(filler, horizon: 1) }
    journal.settle()
    plan.strike(.io)
    #expect(journal.drop(horizonBefore: 2, now: 0) == 2)
    journal.settle()
    #expect(directory.begun.count == 2 && journal.status.cleanupFailures == 1)
    journal.drop(horizonBefore: 0, now: 0)
    journal.settle()
    #expect(directory.begun.count == 1 && journal.status.bytesOnDisk == 16_384)
  }
}
