import CandleCore
import CandleFeeds
import CandleTestSupport
import Testing

/// Whatever a source sends, it is an error or rows that keep their promises.
@Suite struct HistoryFuzzTests {
  private static let bodies: [String] =
    goldenBodies.map(\.body) + [
      "open_time,open,high,low,close,volume,turnover,ticks\n1700000040000,1,2,0.5,1,3,3.3,4\n1700000100000,1,2,0.5,1,3,,\n",
      "1700000040,1,2,0.5,1,3\n1700000100,1,2,0.5,1,3",
      "{\"open_time\":1700000040000,\"open\":1,\"high\":2,\"low\":1,\"close\":1}\n{\"candles\":[]}\n",
    ]

  @Test(arguments: UInt64(0)..<4) func randomBytes(seed: UInt64) {
    var draw = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      judge((0..<draw.int(0...120)).map { _ in UInt8(draw.int(0...255)) }, seed)
      let alphabet = Array("[]{}\",:0123456789.eE+-\\ \n<natimecopw".utf8)
      judge((0..<draw.int(0...120)).map { _ in draw.pick(alphabet) }, seed)
    }
  }

  @Test(arguments: UInt64(0)..<4) func mutatedBodies(seed: UInt64) {
    var draw = SeededGenerator(seed: seed)
    let pieces = [
      "[", "]", "{", "}", "\"", "\\", ",", ":", "\n", "null", "NaN", "-", "e9", "1e999", ".", "99999999999999999999",
      "\u{feff}", "9223372036854775807", "open_time", "candles", "0",
    ]
    for _ in 0..<250 {
      var bytes = Array(draw.pick(Self.bodies).utf8)
      for _ in 0..<draw.int(1...6) where !bytes.isEmpty {
        let at = draw.int(0...bytes.count - 1)
        switch draw.int(0...4) {
        case 0: bytes[at] = UInt8(draw.int(0...255))
        case 1: bytes.insert(contentsOf: draw.pick(pieces).utf8, at: at)
        case 2: bytes.removeSubrange(at..<min(bytes.count, at + draw.int(1...20)))
        case 3: bytes.removeSubrange(at...)
        default:
          bytes.insert(contentsOf: bytes[at..<min(bytes.count, at + draw.int(1...60))], at: draw.int(0...bytes.count))
        }
      }
      judge(bytes, seed)
    }
  }

  @Test func truncationAtEachByte() {
    for body in Self.bodies {
      for length in 0...body.utf8.count { judge(Array(body.utf8.prefix(length)), 0) }
    }
  }

  /// Every order of the rows of a body gives the same answer.
  @Test func orderDoesNotMatter() throws {
    var draw = SeededGenerator(seed: 5)
    let lines = (0..<60).map { "\"\(1_700_000_040 + 60 * $0),2,1,3,1,\($0)\"" }
    let sorted = try read(.zxkline, "[\(lines.joined(separator: ","))]").get()
    for _ in 0..<20 {
      #expect(try read(.zxkline, "[\(lines.shuffled(using: &draw).joined(separator: ","))]").get() == sorted)
    }
  }

  private func judge(_ bytes: [UInt8], _ seed: UInt64) {
    bytes.withUnsafeBytes { bytes in
      for timeframe in [Timeframe.S1, .M1, .W1] {
        for format in HistoryFormat.allCases {
          judge(HistoryBody.parse(bytes, format: format, timeframe: timeframe, asked: always), timeframe, seed)
        }
        for format in HistoryFileFormat.allCases {
          judge(HistoryBody.parse(file: bytes, format: format, timeframe: timeframe, asked: always), timeframe, seed)
        }
      }
    }
  }

  private func judge(_ result: Result<HistoryAnswer, HistoryError>, _ timeframe: Timeframe, _ seed: UInt64) {
    guard let answer = try? result.get() else { return }
    let isSound = answer.rows.allSatisfy {
      timeframe.openTime(of: $0.openTime) == $0.openTime && $0.low <= min($0.open, $0.close)
        && max($0.open, $0.close) <= $0.high && $0.volume.coefficient >= 0
    }
    let isSorted = zip(answer.rows, answer.rows.dropFirst()).allSatisfy { $0.openTime < $1.openTime }
    let isBounded = answer.refusals.allSatisfy { $0.text.utf8.count <= 3 * HistoryRefusal.maximumTextLength }
    #expect(isSound && isSorted && isBounded, "seed \(seed)")
  }
}
