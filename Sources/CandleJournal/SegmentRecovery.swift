import CandleCore
import CandleEngine

/// Brings the segments of a directory into order before a journal goes on.
struct SegmentRecovery {
  let directory: String
  let epoch: String
  let options: JournalOptions
  let system: SystemCalls
  var report = RecoveryReport()
  /// Oldest first.
  var closed: [ClosedSegment] = []
  /// Of a segment behind all others.
  var nextNumber: UInt32 = 1
  /// What is in the directory.
  private var names: [String] = []

  init(directory: String, epoch: String, options: JournalOptions, system: SystemCalls) {
    self.directory = directory
    self.epoch = epoch
    self.options = options
    self.system = system
  }

  mutating func run() throws(JournalError) {
    do throws(SystemFailure) {
      try system.makeDirectory(directory)
      names = try system.list(directory)
    } catch {
      throw JournalError(operation: .open, subject: directory, cause: .system(code: error.code))
    }
    for name in names.sorted() {
      guard let number = SegmentName.number(name) else { continue }
      nextNumber = number &+ 1
      try recover(name, number)
    }
    report.segments = closed.count
    if options.durability == .power {
      do throws(SystemFailure) { try system.syncDirectory(directory) } catch {
        throw JournalError(operation: .open, subject: directory, cause: .system(code: error.code))
      }
    }
  }

  private mutating func recover(_ name: String, _ number: UInt32) throws(JournalError) {
    let file = try SegmentFile(name, in: directory, access: .readWrite, system: system)
    switch try file.readHead() {
    case .newer(let version):
      throw JournalError(
        operation: .open, subject: directory + "/" + name,
        cause: .newer(found: version, known: JournalSegment.version))
    case .blank:
      // Laid out, and a restatement written at most, unless there are records: then its head is lost.
      if try !file.hasRecords() { return try remove(name) }
      try setAside(name, as: ".damaged")
      report.damaged.append(name)
    case .flawed:
      try setAside(name, as: ".damaged")
      report.damaged.append(name)
    case .segment(let head) where head.epoch != epoch:
      try setAside(name, as: ".foreign")
      report.foreign.append(name)
    case .segment(let head):
      if let seal = try file.readSeal(first: head.first) {
        // Its process ended between closing and cutting it.
        if try file.size() > seal.end { try file.cut(at: seal.end) }
        take(ClosedSegment(number: number, seal: seal, bytes: MappedSegment.allocated(seal.end)))
      } else {
        try close(file, head, number)
      }
    }
  }

  /// Finds the last good block of a segment that was not closed.
  private mutating func close(_ file: SegmentFile, _ head: JournalSegment, _ number: UInt32) throws(JournalError) {
    var scan = SegmentScan(first: head.first)
    while try scan.step(file) {}
    let end = try file.endOfContent(from: scan.offset)
    report.unclosed += 1
    report.bytesCut += end - scan.offset
    if scan.next == head.first {
      try remove(file.name)
      return
    }
    let seal = JournalSeal(next: scan.next, end: scan.offset, horizon: scan.horizon, closedAt: system.wallTime())
    try file.close(with: seal, first: head.first, durable: options.durability == .power)
    take(ClosedSegment(number: number, seal: seal, bytes: MappedSegment.allocated(seal.end)))
  }

  private mutating func take(_ segment: ClosedSegment) {
    closed.append(segment)
    report.lastSequence = max(report.lastSequence, segment.seal.next &- 1)
  }

  private func setAside(_ name: String, as suffix: String) throws(JournalError) {
    let path = directory + "/" + name
    var aside = name + suffix
    var number = 1
    // An older one of that name is somebody's data too.
    while names.contains(aside) {
      number += 1
      aside = "\(name)\(suffix).\(number)"
    }
    do throws(SystemFailure) { try system.rename(path, directory + "/" + aside) } catch {
      throw JournalError(operation: .open, subject: path, cause: .system(code: error.code))
    }
  }

  private func remove(_ name: String) throws(JournalError) {
    let path = directory + "/" + name
    do throws(SystemFailure) { try system.remove(path) } catch {
      throw JournalError(operation: .open, subject: path, cause: .system(code: error.code))
    }
  }
}
