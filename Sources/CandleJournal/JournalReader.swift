import CandleCore
import CandleEngine
import Glibc

/// What a reader comes across.
public enum JournalEntry: Sendable, Equatable {
  /// A segment begins: numbers of symbols before it mean nothing any more.
  case segment(JournalSegment)
  /// What held when the segment began: symbols and their numbers, what is listened to. Not a new fact.
  case restated(JournalRecord)
  /// A record and its sequence.
  case record(UInt64, JournalRecord)
  /// Records are lost here.
  case damage(JournalDamage)
}

/// Reads the journal in a directory, oldest record first.
///
/// The journal may be written to meanwhile, by this process or another. At the end of what is there `next` returns nil,
/// and goes on from there when it is called again. Whatever bytes the files hold: damage is told, nothing traps.
public final class JournalReader {
  private let directory: String
  private let epoch: String?
  private let system: SystemCalls
  /// Records before it are passed over.
  private var wanted: UInt64
  /// Sequence that the next segment begins with; nil before the first.
  private var expected: UInt64?
  /// Segments that are to be read, and the one that was last begun.
  private var names: [String] = []
  private var lastName = ""
  private var file: SegmentFile?
  private var head = JournalSegment(first: 0, epoch: "")
  private var scan = SegmentScan(first: 0)
  /// The end was looked at again after it seemed to be there.
  private var isConfirmed = false
  private var block = JournalBlock(length: 0, count: 0, isRestatement: false, sequence: 0, horizon: .min)
  private var decoder = JournalDecoder(UnsafeRawBufferPointer(start: nil, count: 0))
  private var blockOffset = 0
  /// Records of the block that were read.
  private var read = 0
  private var isInBlock = false
  private var pending: [JournalEntry] = []
  /// Segments of other databases that were passed over.
  public private(set) var foreignSegments = 0

  /// - Parameters:
  ///   - epoch: only segments of this database are read; nil = all.
  ///   - from: records with a smaller sequence are passed over, whole segments without reading them.
  public init(
    directory: String, epoch: String? = nil, from: UInt64 = 0, system: SystemCalls = .linux
  ) {
    self.directory = directory
    self.epoch = epoch
    self.system = system
    wanted = from
  }

  /// Sequence of the first record of the append that the last returned record came with.
  public var appendStart: UInt64 { block.sequence }

  /// - Returns: nil at the end of what is there now.
  /// - Throws: where a system call fails, or a segment is of a later format.
  public func next() throws(JournalError) -> JournalEntry? {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      if isInBlock {
        if let entry = nextInBlock() { return entry }
      } else if let file {
        guard try nextBlock(of: file) else { return nil }
      } else {
        guard try nextSegment() else { return nil }
      }
    }
  }

  // MARK: Within a block

  private func nextInBlock() -> JournalEntry? {
    let record: JournalRecord?
    do throws(JournalFlaw) { record = read < block.count ? try decoder.next() : nil } catch { record = nil }
    guard let record else {
      isInBlock = false
      if read == block.count { return nil }
      // The bytes are as they were written, yet they are no records: the frame's bounds still hold.
      return .damage(
        JournalDamage(
          segment: file?.name ?? "", offset: blockOffset, flaw: .record,
          lost: block.isRestatement ? 0 : UInt64(block.count - read), bytes: block.length))
    }
    defer { read += 1 }
    if block.isRestatement { return .restated(record) }
    let sequence = block.sequence &+ UInt64(read)
    return sequence >= wanted ? .record(sequence, record) : nil
  }

  // MARK: Within a segment

  /// - Returns: false at the end of what is there now.
  private func nextBlock(of file: SegmentFile) throws(JournalError) -> Bool {
    let flaw: JournalFlaw?
    blockOffset = scan.offset
    switch try scan.block(file) {
    case .block(let block, let records):
      self.block = block
      decoder = JournalDecoder(records)
      read = 0
      isInBlock = true
      isConfirmed = false
      return true
    case .end: flaw = nil
    case .flaw(let found): flaw = found
    }
    let seal = try file.readSeal(first: head.first)
    if let seal, scan.offset >= seal.end, scan.next == seal.next {
      finish(next: seal.next)
      return true
    }
    if seal == nil {
      try findNames(after: file.name)
      guard try nextHasBegun() else {
        file.forget()
        return false
      }
    }
    // Blocks may have come between the look at the block and the look at the seal.
    if !isConfirmed {
      isConfirmed = true
      file.forget()
      return true
    }
    if let seal {
      let lost = seal.next > scan.next ? seal.next - scan.next : 0
      pending.append(
        .damage(
          JournalDamage(
            segment: file.name, offset: scan.offset, flaw: flaw ?? .truncated, lost: lost,
            bytes: max(0, seal.end - scan.offset))))
    }
    finish(next: seal?.next ?? scan.next)
    return true
  }

  private func finish(next: UInt64) {
    expected = next
    file = nil
  }

  // MARK: From segment to segment

  /// - Returns: false if there is none.
  private func nextSegment() throws(JournalError) -> Bool {
    if names.isEmpty { try findNames(after: lastName) }
    guard !names.isEmpty else { return false }
    if names.count == 1, try !nextHasBegun() {
      // Its head may come, and others behind it.
      try findNames(after: lastName)
      if names.count <= 1 { return false }
    }
    let name = names.removeFirst()
    lastName = name
    if let file = try open(name) { try begin(file) }
    return true
  }

  /// Whether the next of `names` is more than laid out.
  private func nextHasBegun() throws(JournalError) -> Bool {
    guard let name = names.first, let file = try open(name) else { return false }
    return try file.readHead() != .blank
  }

  /// - Returns: nil if it was let go of since its name was read.
  private func open(_ name: String) throws(JournalError) -> SegmentFile? {
    do throws(JournalError) {
      return try SegmentFile(name, in: directory, access: .read, system: system)
    } catch {
      if error.cause == .system(code: ENOENT) { return nil }
      throw error
    }
  }

  private func begin(_ file: SegmentFile) throws(JournalError) {
    switch try file.readHead() {
    case .newer(let version):
      throw JournalError(
        operation: .read, subject: directory + "/" + file.name,
        cause: .newer(found: version, known: JournalSegment.version))
    case .segment(let head):
      if let epoch, head.epoch != epoch {
        foreignSegments += 1
      } else {
        try begin(file, head)
      }
    case .blank, .flawed:
      pending.append(
        .damage(
          JournalDamage(segment: file.name, offset: 0, flaw: .head, lost: nil, bytes: try file.size())))
    }
  }

  private func begin(_ file: SegmentFile, _ head: JournalSegment) throws(JournalError) {
    if let seal = try file.readSeal(first: head.first), seal.next <= wanted {
      expected = seal.next
      return
    }
    if let expected, head.first > expected {
      pending.append(
        .damage(
          JournalDamage(segment: file.name, offset: 0, flaw: .missing, lost: head.first - expected, bytes: 0)))
    }
    // What was read once is not read again, whatever the heads say.
    wanted = max(wanted, expected ?? 0)
    pending.append(.segment(head))
    self.head = head
    self.file = file
    scan = SegmentScan(first: head.first)
    isConfirmed = false
  }

  /// Names of segments behind one, in order.
  private func findNames(after name: String) throws(JournalError) {
    do throws(SystemFailure) {
      names = try system.list(directory).filter { SegmentName.number($0) != nil && $0 > name }.sorted()
    } catch {
      throw JournalError(operation: .read, subject: directory, cause: .system(code: error.code))
    }
  }
}
