import Foundation

/// How far a long piece of work has come, on a terminal; silent elsewhere.
struct ProgressBar {
  private let label: String
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var total: Int64 = 0
  private var done: Int64 = 0
  private var shown = -1

  init(label: String) { self.label = label }

  mutating func begin(total: Int64) {
    self.total = total
    done = 0
    shown = -1
  }

  mutating func advance(_ amount: Int64) {
    done += amount
    guard isTerminal, total > 0 else { return }
    let percent = Int(min(100, done * 100 / total))
    guard percent != shown else { return }
    shown = percent
    let filled = percent * 30 / 100
    let bar = String(repeating: "=", count: filled) + String(repeating: " ", count: 30 - filled)
    FileHandle.standardError.write(Data("\r\(label) [\(bar)] \(percent)%".utf8))
  }

  mutating func clear() {
    guard isTerminal, shown >= 0 else { return }
    FileHandle.standardError.write(Data("\r\u{1b}[2K".utf8))
    shown = -1
  }

  mutating func end() {
    clear()
    total = 0
  }
}
