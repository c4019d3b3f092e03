import CandleEngine

/// A segment that is read from, through a buffer: a map would die with SIGBUS when the file is cut under it.
final class SegmentFile {
  /// What lies at an offset.
  enum Step {
    case block(JournalBlock, UnsafeRawBufferPointer)
    /// No block, or the end of the file.
    case end
    case flaw(JournalFlaw)
  }

  let name: String
  private let path: String
  private let descriptor: SystemCalls.Descriptor
  private let system: SystemCalls
  private var buffer: UnsafeMutableRawBufferPointer
  /// Offset in the file of what the buffer holds, and how much that is.
  private var bufferOffset = 0
  private var bufferCount = 0

  /// Bytes that are read at once.
  static let chunk = 256 << 10

  init(_ name: String, in directory: String, access: SystemCalls.Access, system: SystemCalls) throws(JournalError) {
    self.name = name
    self.system = system
    path = directory + "/" + name
    do throws(SystemFailure) {
      descriptor = try system.open(path, access)
    } catch {
      throw JournalError(operation: .read, subject: path, cause: .system(code: error.code))
    }
    buffer = .allocate(byteCount: Self.chunk, alignment: 16)
  }

  deinit {
    system.close(descriptor)
    buffer.deallocate()
  }

  /// Calls `body` with the first bytes of the file, as they are now.
  func withHead<Value>(_ body: (UnsafeRawBufferPointer) -> Value) throws(JournalError) -> Value {
    let head = UnsafeMutableRawBufferPointer.allocate(byteCount: JournalSegment.headBytes, alignment: 8)
    defer { head.deallocate() }
    do throws(SystemFailure) {
      let count = try system.readFully(descriptor, head, 0)
      return body(UnsafeRawBufferPointer(rebasing: head[..<count]))
    } catch {
      throw failure(error)
    }
  }

  func readHead() throws(JournalError) -> JournalSegment.Reading {
    let head = try withHead { JournalSegment.read($0) }
    // It may have been read while it was written.
    return head == .flawed ? try withHead { JournalSegment.read($0) } : head
  }

  /// The seal as it is now.
  func readSeal(first: UInt64) throws(JournalError) -> JournalSeal? {
    try withHead { JournalSeal(head: $0, first: first) }
  }

  func size() throws(JournalError) -> Int {
    do throws(SystemFailure) { return try system.size(descriptor) } catch { throw failure(error) }
  }

  /// What lies at an offset; the bytes stay until the next call.
  func step(at offset: Int) throws(JournalError) -> Step {
    guard let head = try bytes(at: offset, JournalBlock.headBytes), let block = JournalBlock(head: head) else {
      return .end
    }
    // A segment is never larger: what says so must not be believed, nor allocated.
    guard block.length <= JournalOptions.largestSegment,
      let whole = try bytes(at: offset, JournalBlock.headBytes + block.length)
    else { return .flaw(.length) }
    guard JournalBlock.isIntact(whole) else { return .flaw(.checksum) }
    return .block(block, UnsafeRawBufferPointer(rebasing: whole[JournalBlock.headBytes...]))
  }

  /// Whether there are blocks that are no restatement, whatever the head says.
  func hasRecords() throws(JournalError) -> Bool {
    var offset = JournalSegment.headBytes
    while case .block(let block, _) = try step(at: offset) {
      if !block.isRestatement { return true }
      offset = JournalBlock.aligned(offset + JournalBlock.headBytes + block.length)
    }
    return false
  }

  /// Offset behind the last byte that is not zero, from `offset` on.
  func endOfContent(from offset: Int) throws(JournalError) -> Int {
    var end = offset
    var at = offset
    forget()
    while true {
      let count = try fill(at: at)
      if count == 0 { return end }
      if let last = buffer[..<count].lastIndex(where: { $0 != 0 }) { end = at + last + 1 }
      at += count
    }
  }

  /// Closes it in place of the process that wrote it, and cuts it at its end.
  func close(with seal: JournalSeal, first: UInt64, durable: Bool) throws(JournalError) {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: JournalSeal.bytes, alignment: 8)
    defer { bytes.deallocate() }
    seal.write(at: bytes.baseAddress.unsafelyUnwrapped, first: first)
    do throws(SystemFailure) {
      try system.writeFully(descriptor, UnsafeRawBufferPointer(bytes), JournalSeal.offset)
      try system.truncate(descriptor, seal.end)
      if durable { try system.syncFile(descriptor) }
    } catch {
      throw JournalError(operation: .open, subject: path, cause: .system(code: error.code))
    }
  }

  /// Cuts what is not used of a closed segment.
  func cut(at end: Int) throws(JournalError) {
    do throws(SystemFailure) {
      try system.truncate(descriptor, end)
    } catch {
      throw JournalError(operation: .open, subject: path, cause: .system(code: error.code))
    }
  }

  /// Forgets what was read, so that it is read anew.
  func forget() { bufferCount = 0 }

  /// - Returns: nil where the file ends before.
  private func bytes(at offset: Int, _ count: Int) throws(JournalError) -> UnsafeRawBufferPointer? {
    if offset < bufferOffset || offset + count > bufferOffset + bufferCount {
      if count > buffer.count {
        // Only as large as what is there: a length that is not true must not cost memory.
        guard try size() >= offset + count else { return nil }
        buffer.deallocate()
        buffer = .allocate(byteCount: count + Self.chunk, alignment: 16)
      }
      guard try fill(at: offset) >= count else { return nil }
    }
    let start = offset - bufferOffset
    return UnsafeRawBufferPointer(rebasing: buffer[start..<start + count])
  }

  private func fill(at offset: Int) throws(JournalError) -> Int {
    bufferOffset = offset
    bufferCount = 0
    do throws(SystemFailure) { bufferCount = try system.readFully(descriptor, buffer, offset) } catch {
      throw failure(error)
    }
    return bufferCount
  }

  private func failure(_ failure: SystemFailure) -> JournalError {
    JournalError(operation: .read, subject: path, cause: .system(code: failure.code))
  }
}
