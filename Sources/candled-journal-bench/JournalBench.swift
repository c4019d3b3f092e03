import CAllocationCounter
import CandleCore
import CandleEngine
import CandleJournal
import Glibc

/// `candled-journal-bench bench DIRECTORY` measures; `child DIRECTORY SEED` appends numbered ticks until it is killed.
@main struct JournalBench {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch (arguments.dropFirst().first, arguments.count) {
    case ("bench", 3): try bench(arguments[2])
    case ("allocations", 3): try allocations(arguments[2])
    case ("child", 4): try child(arguments[2], seed: UInt64(arguments[3]) ?? 0)
    default:
      print("usage: candled-journal-bench bench DIRECTORY | allocations DIRECTORY | child DIRECTORY SEED")
      exit(64)
    }
  }

  // MARK: Appending until the end

  /// Writes the number of the last appended tick (8 bytes) to standard output after each append.
  static func child(_ directory: String, seed: UInt64) throws {
    var random = Random(state: seed)
    let (journal, _) = try Journal.open(
      directory: directory, epoch: "kill", options: JournalOptions(segmentBytes: 64 << 10))
    journal.restate = { $0.symbol(0, name: "BTCUSDT") }
    var number = journal.lastSequence
    while true {
      let batch = random.next() % 4 == 0 ? random.next() % 300 + 1 : 1
      try journal.append(horizon: 0) { writer in
        for _ in 0..<batch {
          number += 1
          // All fields follow from the number, so that the parent knows what must be there.
          writer.tick(numbered(number), venue: UInt32(truncatingIfNeeded: number), serverTime: Int64(number))
        }
      }
      withUnsafeBytes(of: number) { _ = write(1, $0.baseAddress, 8) }
      if random.next() % 16 == 0 {
        journal.drop(horizonBefore: 1, committed: number > 20_000 ? number - 20_000 : 0, now: 0)
      }
    }
  }

  static func numbered(_ number: UInt64) -> Tick {
    Tick(
      symbol: 0, time: Timestamp(nanoseconds: Int64(number) * 1_000_003),
      price: Fixed(coefficient: Int64(number % 100_000) + 1, scale: 2), id: .number(number))
  }

  // MARK: Measuring

  static func bench(_ directory: String) throws {
    _ = mkdir(directory, 0o755)
    let ticks = recorded(1 << 12)
    for round in 1...3 {
      print("round \(round)")
      encodeOnly(ticks)
      for batch in [1, 10, 100, 1_000] { try mapped(ticks, batch: batch, directory: directory) }
      for batch in [1, 10, 100, 1_000] { written(ticks, batch: batch, directory: directory) }
    }
    for symbols in [0, 100, 1_000, 10_000] {
      try latency(ticks, directory: directory, pause: 0, count: 2_000_000, symbols: symbols)
    }
    try latency(ticks, directory: directory, pause: 1_000, count: 5_000)
    writeLatency(ticks, directory: directory, pause: 1_000, count: 5_000)
    try power(ticks, directory: directory)
  }

  static func encodeOnly(_ ticks: [Tick]) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 8 << 20, alignment: 16)
    defer { memory.deallocate() }
    var encoder = JournalEncoder(memory)
    for tick in ticks { encoder.tick(tick, venue: 1, serverTime: 1_700_000_000_000) }
    let start = now()
    for _ in 0..<256 {
      encoder = JournalEncoder(memory)
      for tick in ticks { encoder.tick(tick, venue: 1, serverTime: 1_700_000_000_000) }
    }
    let middle = now()
    var sum: UInt64 = 0
    let length = encoder.cursor - memory
    for _ in 0..<256 { sum ^= JournalChecksum.of(memory, count: length, seed: sum) }
    let end = now()
    let total = Double(ticks.count * 256)
    print(
      "  encode \(tenths(Double(middle - start) / total)) ns/tick, checksum \(tenths(Double(end - middle) / total)) ns/tick, \(tenths(Double(length) / Double(ticks.count))) bytes/tick (\(sum & 1))"
    )
  }

  static func mapped(_ ticks: [Tick], batch: Int, directory: String) throws {
    let path = directory + "/mapped"
    let (journal, _) = try Journal.open(directory: path, epoch: "bench")
    journal.restate = { writer in for symbol in 0..<100 { writer.symbol(Int32(symbol), name: "SYMBOL\(symbol)") } }
    defer { clear(path) }
    try journal.append(horizon: 0) { $0.alive(at: 0) }
    journal.settle()
    let rounds = batch == 1 ? 256 : 1_024
    let allocations = candled_allocation_count()
    let before = journal.status
    let start = now()
    var server: Milliseconds = 1_700_000_000_000
    for _ in 0..<rounds {
      var at = 0
      while at < ticks.count {
        let end = min(at + batch, ticks.count)
        server += 1
        try journal.append(horizon: server) { writer in
          for index in at..<end { writer.tick(ticks[index], venue: 1, serverTime: server) }
        }
        at = end
      }
    }
    let elapsed = now() - start
    let after = journal.status
    let count = Double(rounds * ticks.count)
    print(
      "  map, batch \(batch): \(tenths(Double(elapsed) / count)) ns/tick, \(tenths(Double(after.bytesAppended - before.bytesAppended) / count)) bytes/tick, waits \(after.waits - before.waits), allocations \(candled_allocation_count() - allocations), segments \(after.segments)"
    )
    journal.close()
  }

  /// The alternative: the same blocks in a buffer, one write a turn.
  static func written(_ ticks: [Tick], batch: Int, directory: String) {
    let path = directory + "/written"
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    defer {
      close(descriptor)
      unlink(path)
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { memory.deallocate() }
    let rounds = batch == 1 ? 256 : 1_024
    var sequence: UInt64 = 1
    let start = now()
    var server: Milliseconds = 1_700_000_000_000
    for _ in 0..<rounds {
      var at = 0
      while at < ticks.count {
        let end = min(at + batch, ticks.count)
        server += 1
        var encoder = JournalEncoder(memory + JournalBlock.headBytes)
        for index in at..<end { encoder.tick(ticks[index], venue: 1, serverTime: server) }
        let length = encoder.cursor - memory - JournalBlock.headBytes
        JournalBlock(length: length, count: end - at, isRestatement: false, sequence: sequence, horizon: server)
          .write(at: memory)
        sequence += UInt64(end - at)
        _ = write(descriptor, memory, JournalBlock.aligned(JournalBlock.headBytes + length))
        at = end
      }
    }
    let elapsed = now() - start
    print("  write, batch \(batch): \(tenths(Double(elapsed) / Double(rounds * ticks.count))) ns/tick")
  }

  /// - Parameter pause: between appends, in µs, so that caches are as cold as in a quiet daemon.
  static func latency(_ ticks: [Tick], directory: String, pause: UInt32, count: Int, symbols: Int = 100) throws {
    let path = directory + "/latency"
    let (journal, _) = try Journal.open(directory: path, epoch: "bench")
    journal.restate = { writer in for symbol in 0..<symbols { writer.symbol(Int32(symbol), name: "BTCUSDT") } }
    defer { clear(path) }
    try journal.append(horizon: 0) { $0.alive(at: 0) }
    journal.settle()
    var samples: [Int64] = []
    var switches: [Int64] = []
    samples.reserveCapacity(count)
    for index in 0..<count {
      if pause > 0 { usleep(pause) }
      let segments = journal.status.segments
      let start = now()
      try journal.append(horizon: 1) { $0.tick(ticks[index & 0xfff], venue: 1, serverTime: 1_700_000_000_000) }
      let elapsed = now() - start
      samples.append(elapsed)
      if journal.status.segments != segments {
        switches.append(elapsed)
        journal.settle()
      }
    }
    report("map, one tick, pause \(pause) µs", samples)
    if !switches.isEmpty { report("  of which new segments (\(symbols) symbols restated)", switches) }
    journal.close()
  }

  static func writeLatency(_ ticks: [Tick], directory: String, pause: UInt32, count: Int) {
    let path = directory + "/written"
    let descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    defer {
      close(descriptor)
      unlink(path)
    }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { memory.deallocate() }
    var samples: [Int64] = []
    for index in 0..<count {
      usleep(pause)
      let start = now()
      var encoder = JournalEncoder(memory + JournalBlock.headBytes)
      encoder.tick(ticks[index & 0xfff], venue: 1, serverTime: 1_700_000_000_000)
      let length = encoder.cursor - memory - JournalBlock.headBytes
      JournalBlock(length: length, count: 1, isRestatement: false, sequence: UInt64(index), horizon: 1).write(
        at: memory)
      _ = write(descriptor, memory, JournalBlock.aligned(JournalBlock.headBytes + length))
      samples.append(now() - start)
    }
    report("write, one tick, pause \(pause) µs", samples)
  }

  static func power(_ ticks: [Tick], directory: String) throws {
    let path = directory + "/power"
    let (journal, _) = try Journal.open(
      directory: path, epoch: "bench", options: JournalOptions(durability: .power))
    defer { clear(path) }
    try journal.append(horizon: 0) { $0.alive(at: 0) }
    journal.settle()
    var samples: [Int64] = []
    for index in 0..<200 {
      let start = now()
      try journal.append(horizon: 1) { $0.tick(ticks[index], venue: 1, serverTime: 1_700_000_000_000) }
      samples.append(now() - start)
    }
    report("map, one tick, durability power", samples)
    journal.close()
  }

  /// Prints the number of allocations in 100 000 appends after the first, over several segments.
  static func allocations(_ directory: String) throws {
    let ticks = recorded(1_024)
    let (journal, _) = try Journal.open(directory: directory, epoch: "bench")
    try journal.append(horizon: 0) { $0.tick(ticks[0], venue: 1, serverTime: 1) }
    let before = candled_allocation_count()
    for index in 0..<100_000 {
      try journal.append(horizon: 1) { writer in
        writer.tick(ticks[index & 1_023], venue: 1, serverTime: 1)
        writer.listening(1, .began, at: 1)
        writer.alive(at: 1)
        writer.committed(upTo: 1)
      }
    }
    print(candled_allocation_count() - before)
    journal.close()
  }

  // MARK: Parts

  /// Ticks as an exchange sends them: 100 symbols, prices with 2 decimals, ids of ten digits.
  static func recorded(_ count: Int) -> [Tick] {
    var random = Random(state: 42)
    return (0..<count).map { index in
      Tick(
        symbol: Int32(random.next() % 100),
        time: Timestamp(nanoseconds: 1_700_000_000_000_000_000 - Int64(random.next() % 200_000_000)),
        price: Fixed(coefficient: 3_650_000 + Int64(random.next() % 20_000), scale: 2),
        volume: Fixed(coefficient: Int64(random.next() % 1_000_000), scale: 5),
        id: .number(3_400_000_000 + UInt64(index)), takerSide: random.next() % 2 == 0 ? .buy : .sell)
    }
  }

  static func report(_ title: String, _ samples: [Int64]) {
    let sorted = samples.sorted()
    func at(_ share: Double) -> String {
      tenths(Double(sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]) / 1_000)
    }
    print("\(title): p50 \(at(0.5)) µs, p99 \(at(0.99)) µs, p99.9 \(at(0.999)) µs, max \(at(1)) µs (\(samples.count))")
  }

  static func clear(_ path: String) {
    guard let names = try? SystemCalls.linux.list(path) else { return }
    for name in names where name != "." && name != ".." { unlink(path + "/" + name) }
    rmdir(path)
  }

  static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  static func tenths(_ value: Double) -> String {
    String(Int((value * 10).rounded()) / 10) + "." + String(Int((value * 10).rounded()) % 10)
  }
}

/// SplitMix64.
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
