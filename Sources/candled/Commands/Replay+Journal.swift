import CandleConfiguration
import CandleCore
import CandleEngine
import CandleJournal
import Foundation

extension Replay {
  /// Records between two looks at what was settled.
  private static let part = 10_000

  static func isDirectory(_ path: String) -> Bool {
    var isDirectory: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
  }

  /// Takes the ticks of a daemon's journal again, at the times at which it accepted them, so that anyone can hold its
  /// candles against one pass over its ticks.
  func readJournal(_ directory: String) throws {
    let reader = JournalReader(directory: directory)
    /// By the daemon's number, within a segment.
    var numbers: [Int32: Int32] = [:]
    var newest = Milliseconds.min
    var records = 0
    var segments = 0
    while let entry = try reader.next() {
      switch entry {
      case .segment:
        numbers = [:]
        segments += 1
      case .damage(let damage):
        throw ReplayError(
          code: .badInput, message: "\(damage.segment) is damaged at byte \(damage.offset): \(damage.flaw.rawValue)")
      case .restated(let record):
        // What is listened to is known from the segment before; the first one begins with it.
        if case .listening = record, segments > 1 { continue }
        try take(record, &numbers, &newest)
      case .record(_, let record):
        try take(record, &numbers, &newest)
        records += 1
        if records % Self.part == 0 { try store() }
      }
    }
    guard segments > 0 else { throw ReplayError(code: .badInput, message: "\(directory): no segments of a journal") }
    if newest > .min { replayer.settle(now: newest) }
    try store()
  }

  private func take(
    _ record: JournalRecord, _ numbers: inout [Int32: Int32], _ newest: inout Milliseconds
  ) throws {
    switch record {
    case .symbol(let number, let name): numbers[number] = try journalSymbol(name)
    case .tick(let entry):
      guard let symbol = numbers[entry.tick.symbol] else { return }
      var tick = entry.tick
      tick.symbol = symbol
      replayer.retake(tick, now: entry.serverTime)
      newest = max(newest, entry.serverTime)
    case .listening(let number, let change, let time):
      guard let symbol = numbers[number] else { return }
      replayer.listen(symbol, change == .began, at: time)
      newest = max(newest, time)
    case .alive(let time): newest = max(newest, time)
    case .committed: break
    }
  }

  /// A segment names the symbols of the one before again.
  private func journalSymbol(_ name: String) throws -> Int32 {
    let bytes = Array(name.utf8)
    return try bytes.withUnsafeBytes { bytes in
      if let known = numbers.number(of: bytes) { return known }
      let number = try add(name)
      numbers.insert(bytes, number: number)
      return number
    }
  }
}
