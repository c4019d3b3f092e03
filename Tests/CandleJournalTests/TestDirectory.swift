import CandleCore
import CandleEngine
import CandleJournal
import Glibc

/// A directory that goes with the test.
final class TestDirectory {
  let root: String
  /// The journal's, which is not there yet.
  let path: String

  init() {
    var template = Array("/tmp/journal-XXXXXX".utf8CString)
    root = String(cString: mkdtemp(&template))
    path = root + "/candles.db.journal"
  }

  deinit {
    for name in names { unlink(path + "/" + name) }
    rmdir(path)
    rmdir(root)
  }

  var names: [String] { (try? SystemCalls.linux.list(path))?.filter { !$0.hasPrefix(".") }.sorted() ?? [] }
  var segments: [String] { names.filter { $0.hasSuffix(".segment") } }

  /// Segments that are begun.
  var begun: [String] { segments.filter { (try? head($0)) != nil } }

  func head(_ name: String) throws -> JournalSegment {
    guard case .segment(let head) = bytes(name).withUnsafeBytes({ JournalSegment.read($0) }) else {
      throw SystemFailure(code: ENOENT)
    }
    return head
  }

  func bytes(_ name: String) -> [UInt8] {
    guard let file = try? SystemCalls.linux.open(path + "/" + name, .read) else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: (try? SystemCalls.linux.size(file)) ?? 0)
    let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, 0) }
    return Array(bytes[..<max(0, count)])
  }

  func write(_ name: String, _ bytes: some Collection<UInt8>) {
    mkdir(path, 0o755)
    let file = open(path + "/" + name, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    Array(bytes).withUnsafeBytes { _ = Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }

  func open(
    epoch: String = "e", committed: UInt64 = 0, _ options: JournalOptions = .small, system: SystemCalls = .linux
  ) throws -> (journal: Journal, report: RecoveryReport) {
    let (journal, report) = try Journal.open(
      directory: path, epoch: epoch, committed: committed, options: options, system: system)
    journal.restate = { $0.symbol(0, name: "BTCUSDT") }
    return (journal, report)
  }

  /// All there is to read, without heads of segments and restatements.
  func read(epoch: String? = nil, from: UInt64 = 0) throws -> (
    records: [UInt64: JournalRecord], damage: [JournalDamage]
  ) {
    let reader = JournalReader(directory: path, epoch: epoch, from: from)
    var records: [UInt64: JournalRecord] = [:]
    var damage: [JournalDamage] = []
    while let entry = try reader.next() {
      switch entry {
      case .record(let sequence, let record):
        if records.updateValue(record, forKey: sequence) != nil { fatalError("\(sequence) came twice") }
      case .damage(let found): damage.append(found)
      case .segment, .restated: break
      }
    }
    return (records, damage)
  }

  private func open(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { Glibc.open(path, flags, mode) }
}

extension JournalOptions {
  static let small = JournalOptions(segmentBytes: 8_192, retryInterval: 0)
}

extension Journal {
  @discardableResult
  func append(_ records: [JournalRecord], horizon: Milliseconds = .min) throws(JournalError) -> UInt64 {
    try append(horizon: horizon) { writer in for record in records { writer.record(record) } }
  }
}
