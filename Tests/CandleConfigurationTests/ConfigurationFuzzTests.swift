import CandleConfiguration
import Testing

/// Nothing that stands in a file traps, hangs, or is neither a configuration nor a problem.
@Suite struct ConfigurationFuzzTests {
  @Test(arguments: 0..<8) func randomBytes(seed: UInt64) {
    var draw = Draw(state: seed)
    for _ in 0..<250 {
      let count = Int.random(in: 0...200, using: &draw)
      judge((0..<count).map { _ in UInt8.random(in: 0...255, using: &draw) }, seed)
    }
  }

  @Test(arguments: 0..<8) func mutatedFiles(seed: UInt64) {
    var draw = Draw(state: seed)
    let sources = [contractExample, fullExample, Configuration.example()].map { Array($0.utf8) }
    let pieces = [
      "{", "}", "[", "]", ":", "- ", "\n", "  ", "\"", "'", "&a ", "*a", "!x ", "? ", "null", "-1", "1e9", "é", "\u{0}",
    ]
    for _ in 0..<150 {
      var bytes = sources.randomElement(using: &draw)!
      for _ in 0..<Int.random(in: 1...6, using: &draw) {
        let at = Int.random(in: 0..<bytes.count, using: &draw)
        switch Int.random(in: 0...4, using: &draw) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &draw)
        case 1: bytes.insert(contentsOf: pieces.randomElement(using: &draw)!.utf8, at: at)
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &draw)))
        case 3: bytes.removeSubrange(at...)
        default:
          let end = min(bytes.count, at + Int.random(in: 1...60, using: &draw))
          bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0...bytes.count, using: &draw))
        }
        if bytes.isEmpty { bytes = [10] }
      }
      judge(bytes, seed)
    }
  }

  private func judge(_ bytes: [UInt8], _ seed: UInt64) {
    switch Configuration.parse(bytes: bytes, file: "f") {
    case .success(let configuration):
      let again = Configuration.parse(text: Configuration.example(of: configuration), file: "f")
      #expect(again == .success(configuration), "seed \(seed)")
    case .failure(let problems):
      #expect(!problems.list.isEmpty, "seed \(seed)")
      let isOneLineEach = problems.list.allSatisfy { !$0.description.utf8.contains(10) }
      #expect(isOneLineEach, "seed \(seed): \(problems)")
    }
  }
}
