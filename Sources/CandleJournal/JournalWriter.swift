import CandleCore
import CandleEngine

/// Writes the records of one append straight into the journal's segment.
///
/// Nothing counts before the append is over. When there is no room, or no disk, the rest is ignored and the append
/// throws: all of it is in the journal, or nothing.
public struct JournalWriter: ~Copyable {
  @usableFromInline var encoder: JournalEncoder
  /// The last place at which a record may begin.
  @usableFromInline var limit: UnsafeMutableRawPointer
  /// Where the records begin.
  var records: UnsafeMutableRawPointer
  var failure: JournalError?
  /// nil while a segment is begun: what does not fit into it fits nowhere.
  private let journal: Journal?

  init(_ segment: MappedSegment, journal: Journal?) {
    encoder = JournalEncoder(segment.records)
    records = segment.records
    limit = segment.limit
    self.journal = journal
  }

  /// Records written so far.
  public var count: Int { Int(encoder.count) }
  /// Their length in bytes.
  var length: Int { encoder.cursor - records }

  /// A tick was accepted.
  /// - Parameters:
  ///   - tick: its symbol has been restated or written as `symbol` in this segment.
  ///   - serverTime: at which it was accepted.
  @inlinable public mutating func tick(_ tick: borrowing Tick, venue: UInt32, serverTime: Milliseconds) {
    if encoder.cursor > limit, !makeRoom() { return }
    encoder.tick(tick, venue: venue, serverTime: serverTime)
  }

  /// A symbol got its number.
  public mutating func symbol(_ number: Int32, name: String) {
    if encoder.cursor > limit, !makeRoom() { return }
    if !encoder.symbol(number, name: name) {
      fail(JournalError(operation: .append, subject: name, cause: .nameTooLong(limit: JournalEncoder.maximumName)))
    }
  }

  /// Listening to a symbol begins or ends at a server time.
  public mutating func listening(_ symbol: Int32, _ change: ListeningChange, at time: Milliseconds) {
    if encoder.cursor > limit, !makeRoom() { return }
    encoder.listening(symbol, change, at: time)
  }

  /// The process is alive at a server time.
  public mutating func alive(at time: Milliseconds) {
    if encoder.cursor > limit, !makeRoom() { return }
    encoder.alive(at: time)
  }

  /// The store holds all effects up to a sequence.
  public mutating func committed(upTo sequence: UInt64) {
    if encoder.cursor > limit, !makeRoom() { return }
    encoder.committed(upTo: sequence)
  }

  public mutating func record(_ record: JournalRecord) {
    switch record {
    case .tick(let entry): tick(entry.tick, venue: entry.venue, serverTime: entry.serverTime)
    case .symbol(let number, let name): symbol(number, name: name)
    case .listening(let symbol, let change, let time): listening(symbol, change, at: time)
    case .alive(let time): alive(at: time)
    case .committed(let sequence): committed(upTo: sequence)
    }
  }

  /// Moves what is written so far to a new segment.
  /// - Returns: false if that is not possible.
  @usableFromInline @inline(never) mutating func makeRoom() -> Bool {
    if failure != nil { return false }
    let length = length
    guard let journal else {
      fail(JournalError(operation: .begin, subject: "restatement", cause: .tooLarge(limit: length)))
      return false
    }
    do throws(JournalError) {
      let segment = try journal.continueInNextSegment(
        carrying: UnsafeRawBufferPointer(start: records, count: length))
      records = segment.records
      encoder.cursor = records + length
      limit = segment.limit
      return true
    } catch {
      fail(error)
      return false
    }
  }

  private mutating func fail(_ error: JournalError) {
    failure = error
    // From here on each record takes the slow way and is ignored there.
    limit = records - 1
  }
}
