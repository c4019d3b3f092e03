import CandleCore
import CandleEngine
import CandleJournal
import Glibc

private let directory: String = {
  var template = Array("/dev/shm/candled-fuzz-XXXXXX".utf8CString)
  guard let made = mkdtemp(&template) else { fatalError("no folder in /dev/shm") }
  let path = String(cString: made)
  atexit { removeFiles() }
  return path
}()

private func removeFiles() {
  unlink(directory + "/00000001.segment")
  rmdir(directory)
}

/// A file of the journal's folder. With an even first byte the checksums of head and blocks are made right, so that what
/// stands behind them is reached.
func fuzzJournal(_ input: UnsafeRawBufferPointer) {
  let (choice, bytes) = split(input)
  var file = Array(bytes)
  if choice & 1 == 0 { mend(&file) }
  let path = directory + "/00000001.segment"
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  guard descriptor >= 0 else { fatalError("no file in \(directory)") }
  file.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
  close(descriptor)
  let reader = JournalReader(directory: directory, epoch: choice & 2 == 0 ? nil : "epoch")
  var last: UInt64?
  while let entry = try? reader.next() {
    if case .record(let sequence, _) = entry {
      promise(last.map { sequence > $0 } ?? true, "sequences out of order")
      last = sequence
    }
  }
}

private func mend(_ file: inout [UInt8]) {
  guard file.count >= JournalSegment.headBytes else { return }
  file.withUnsafeMutableBytes { bytes in
    guard let start = bytes.baseAddress else { return }
    let first = UInt64(bytes[16])
    JournalSegment(first: first, epoch: "epoch").write(at: start)
    var offset = JournalSegment.headBytes
    var next = first
    while offset + JournalBlock.headBytes < bytes.count {
      let rest = bytes.count - offset - JournalBlock.headBytes
      // The length, the number of records and the flag are the fuzzer's, as far as there are bytes.
      let length = min(rest, 1 + Int(bytes[offset]))
      let count = Int(bytes[offset + 4] & 15)
      let isRestatement = bytes[offset + 7] & 128 != 0
      let horizon = Milliseconds(bytes[offset + 24])
      let block = JournalBlock(
        length: length, count: count, isRestatement: isRestatement, sequence: next, horizon: horizon)
      block.write(at: start + offset)
      if !isRestatement { next += UInt64(count) }
      offset = JournalBlock.aligned(offset + JournalBlock.headBytes + length)
    }
  }
}

/// The records of a block: what is read is written with the same meaning.
func fuzzJournalRecords(_ input: UnsafeRawBufferPointer) {
  var decoder = JournalDecoder(input)
  var records: [JournalRecord] = []
  while let record = try? decoder.next() { records.append(record) }
  let memory = UnsafeMutableRawPointer.allocate(
    byteCount: (records.count + 1) * (JournalEncoder.maximumRecord + JournalEncoder.slack), alignment: 8)
  defer { memory.deallocate() }
  var encoder = JournalEncoder(memory)
  for record in records { promise(encoder.record(record), "a record that was read cannot be written: \(record)") }
  var again = JournalDecoder(UnsafeRawBufferPointer(start: memory, count: encoder.cursor - memory))
  for record in records { promise((try? again.next()) == record, "what was written is another record: \(record)") }
}
