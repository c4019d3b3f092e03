import CandleCore
import CandleEngine
import CandleJournal
import Glibc
import Testing

@Suite struct FaultTests {
  /// Opens, appends over several segments, crashes, closes, opens again, with the n-th system call failing, for every n:
  /// what was acknowledged is there once, what was refused is not.
  @Test(arguments: FaultPlan.Fault.allCases, [JournalOptions.Durability.process, .power])
  func noAcknowledgedRecordIsLostWhicheverCallFails(
    fault: FaultPlan.Fault, durability: JournalOptions.Durability
  ) throws {
    var at = 1
    var errors = 0
    while true {
      let plan = FaultPlan(at: at, fault)
      let directory = TestDirectory()
      errors += try life(directory, plan, durability)
      if !plan.hasStruck { break }
      at += 1
    }
    #expect(at > 20)
    #expect(fault == .short || errors > 10)
  }

  private func life(
    _ directory: TestDirectory, _ plan: FaultPlan, _ durability: JournalOptions.Durability
  ) throws -> Int {
    var options = JournalOptions.small
    options.durability = durability
    var acknowledged: [UInt64: JournalRecord] = [:]
    var next: UInt64 = 0
    var errors = 0
    for opening in 0..<3 {
      // The last time the disk is well.
      if opening == 2 { plan.heal() }
      let opened: (journal: Journal, report: RecoveryReport)
      do { opened = try directory.open(options, system: plan.system) } catch let error as JournalError {
        #expect(!error.short.isEmpty && error.description.contains(error.hint))
        errors += 1
        continue
      }
      for _ in 0..<8 {
        let records = (0..<300).map { JournalRecord.committed(upTo: next + $0) }
        do throws(JournalError) {
          let last = try opened.journal.append(records, horizon: 0)
          for (index, record) in records.enumerated() { acknowledged[last - 299 + UInt64(index)] = record }
          next += 300
        } catch {
          errors += 1
        }
        opened.journal.settle()
      }
      // A crash after the first life, a close after the second.
      if opening > 0 { opened.journal.close() }
    }
    let (records, damage) = try directory.read()
    #expect(records == acknowledged)
    #expect(damage.isEmpty)
    return errors
  }

  @Test func aFullDiskIsAnErrorAtOnceAndPassesWhenThereIsRoom() throws {
    let directory = TestDirectory()
    let plan = FaultPlan(at: 0, .io)
    let journal = try directory.open(system: plan.system).journal
    let filler = [JournalRecord](repeating: .alive(at: 0), count: 800)
    try journal.append(filler)
    journal.settle()
    try journal.append(filler)
    plan.strike(.forever)
    journal.settle()
    // What is left of the open segment is used; then appends fail until the disk is well.
    var refused = 0
    for _ in 0..<20 { if (try? journal.append(filler)) == nil { refused += 1 } }
    #expect(refused >= 18)
    #expect(journal.status.preparation != nil)
    plan.heal()
    let before = journal.lastSequence
    var last: UInt64?
    for _ in 0..<2_000 where last == nil {
      // The thread of the journal tries again in its own time.
      usleep(1_000)
      journal.settle()
      last = try? journal.append(filler)
    }
    #expect(last == before + 800 && journal.status.preparation == nil)
    #expect(try directory.read().damage.isEmpty)
  }

  @Test func readersReportWhatTheDiskRefuses() throws {
    let directory = TestDirectory()
    try directory.open().journal.append([.alive(at: 1)])
    for at in 1...5 {
      let plan = FaultPlan(at: at, .io)
      let reader = JournalReader(directory: directory.path, system: plan.system)
      #expect(throws: JournalError.self) { while try reader.next() != nil {} }
    }
  }
}
