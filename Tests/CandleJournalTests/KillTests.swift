import CandleCore
import CandleEngine
import CandleJournal
import CandleTestSupport
import Glibc
import Testing

/// With the program `candled-journal-bench`, which is built beside the tests.
@Suite(.serialized) struct KillTests {
  /// JOURNAL_KILLS sets how often.
  @Test func everyTickThatWasReportedIsThereAfterKill9() throws {
    let kills = getenv("JOURNAL_KILLS").flatMap { Int(String(cString: $0)) } ?? 50
    let directory = TestDirectory()
    var random = RandomRecords(seed: 41)
    var reported: UInt64 = 0
    var cut = 0
    for kill in 0..<kills {
      reported = max(reported, try runAndKill(directory.path, seed: UInt64(kill), after: random.next() % 60_000))
      let (journal, report) = try Journal.open(directory: directory.path, epoch: "kill")
      cut += report.bytesCut
      #expect(report.lastSequence >= reported)
      let (records, damage) = try directory.read()
      #expect(damage.isEmpty)
      let first = records.keys.min() ?? 0
      // Only what the child let go of is missing.
      #expect(first == 1 || first + 19_000 < reported)
      #expect(UInt64(records.count) == report.lastSequence - first + 1)
      for (sequence, record) in records where record != expected(sequence) { Issue.record("\(sequence): \(record)") }
      journal.close()
      reported = report.lastSequence
    }
    print("killed \(kills) times after \(reported) ticks, \(cut) bytes were half written")
    #expect(reported > 0)
  }

  private func expected(_ number: UInt64) -> JournalRecord {
    .tick(
      JournalTick(
        Tick(
          symbol: 0, time: Timestamp(nanoseconds: Int64(number) * 1_000_003),
          price: Fixed(coefficient: Int64(number % 100_000) + 1, scale: 2), id: .number(number)),
        venue: UInt32(truncatingIfNeeded: number), serverTime: Int64(number)))
  }

  /// - Returns: the last number that the child reported.
  private func runAndKill(_ path: String, seed: UInt64, after microseconds: UInt64) throws -> UInt64 {
    var pipe: [Int32] = [0, 0]
    #expect(Glibc.pipe(&pipe) == 0)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
    posix_spawn_file_actions_addclose(&actions, pipe[0])
    var child: pid_t = 0
    let arguments = [program, "child", path, String(seed)]
    var strings = arguments.map { strdup($0) } + [nil]
    let code = posix_spawn(&child, program, &actions, nil, &strings, environ)
    for string in strings { free(string) }
    posix_spawn_file_actions_destroy(&actions)
    close(pipe[1])
    defer { close(pipe[0]) }
    try #require(code == 0)
    var last: UInt64 = 0
    // The clock starts with the first report.
    let deadline = read(pipe[0], into: &last) ? now() + microseconds : 0
    while now() < deadline, read(pipe[0], into: &last) {}
    kill(child, SIGKILL)
    while read(pipe[0], into: &last) {}
    var status: Int32 = 0
    waitpid(child, &status, 0)
    #expect(status & 0x7f == SIGKILL)
    return last
  }

  private func read(_ descriptor: Int32, into last: inout UInt64) -> Bool {
    var number: UInt64 = 0
    guard Glibc.read(descriptor, &number, 8) == 8 else { return false }
    last = number
    return true
  }

  private func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1_000
  }
}

/// The benchmark's program, beside the program of the tests.
let program: String = {
  var buffer = [UInt8](repeating: 0, count: 4_096)
  let count = buffer.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
  let own = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
  let folder = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? own
  return folder.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    + "/candled-journal-bench"
}()
