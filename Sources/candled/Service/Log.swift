import Foundation
import Glibc
import Synchronization

/// One line an event, on standard error, for people and for the journal.
struct Log: Sendable {
  enum Level: Int, Sendable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    var name: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      case .debug: "debug"
      }
    }
  }

  enum Format: String, Sendable {
    case text, json
  }

  let format: Format
  let threshold: Level
  /// Whether the journal reads this stream and wants priorities.
  private let inJournal: Bool

  init(format: Format = .text, threshold: Level = .info) {
    self.format = format
    self.threshold = threshold
    inJournal = Self.isJournal(STDERR_FILENO)
  }

  // Fields that are nil are left out.
  func error(_ message: String, _ fields: KeyValuePairs<String, String?> = [:]) { write(.error, message, fields) }
  func warning(_ message: String, _ fields: KeyValuePairs<String, String?> = [:]) { write(.warning, message, fields) }
  func notice(_ message: String, _ fields: KeyValuePairs<String, String?> = [:]) { write(.notice, message, fields) }
  func info(_ message: String, _ fields: KeyValuePairs<String, String?> = [:]) { write(.info, message, fields) }

  private func write(_ level: Level, _ message: String, _ fields: KeyValuePairs<String, String?>) {
    guard level.rawValue <= threshold.rawValue else { return }
    var line = inJournal ? "<\(level.rawValue)>" : ""
    switch format {
    case .text:
      line += inJournal ? message : "\(level.name): \(message)"
      for case (let key, let value?) in fields { line += " \(key)=\(Self.quoted(value))" }
    case .json:
      line += "{\"level\":\"\(level.name)\",\"message\":\(Self.json(message))"
      for case (let key, let value?) in fields { line += ",\(Self.json(key)):\(Self.json(value))" }
      line += "}"
    }
    Self.write(line + "\n")
  }

  /// A full disk, or a journal that went away, must not end the daemon: what cannot be logged is left out.
  private static func write(_ line: String) {
    var line = line
    line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let written = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      }
    }
  }

  /// Whether a descriptor is the stream that the service manager connected to the journal, by device and inode
  /// (systemd.exec(5), `JOURNAL_STREAM`); a child may have inherited the variable and write elsewhere.
  private static func isJournal(_ descriptor: Int32) -> Bool {
    guard let named = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] else { return false }
    var status = stat()
    return fstat(descriptor, &status) == 0 && named == "\(status.st_dev):\(status.st_ino)"
  }

  /// What comes from outside must not break the line.
  private static func quoted(_ text: String) -> String {
    text.isEmpty || text.contains { !$0.isASCII || !($0.isLetter || $0.isNumber || "._:/-+%@".contains($0)) }
      ? json(text) : text
  }

  private static func json(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case _ where scalar.value < 32 || scalar.value == 127:
        out +=
          "\\u" + String(repeating: "0", count: 4 - String(scalar.value, radix: 16).count)
          + String(scalar.value, radix: 16)
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

/// Lets a kind of line through a few times in a row, then once in a while, with the number of those left out.
struct LogLimit {
  static let burst = 5
  /// Nanoseconds after which another burst is let through.
  static let period: Int64 = 10_000_000_000

  private var begun: Int64 = .min / 2
  private var count = 0
  private var leftOut = 0

  /// - Returns: nil if the line is to be left out, else how many were left out before it.
  mutating func pass(at monotonic: Int64) -> Int? {
    if monotonic - begun > Self.period {
      begun = monotonic
      count = 0
    }
    count += 1
    guard count <= Self.burst else {
      leftOut += 1
      return nil
    }
    defer { leftOut = 0 }
    return leftOut
  }
}
