import CandleCore
import CandleFeeds
import CandleWire
import Foundation
import Testing

/// Candles that exchanges and data vendors published, in `pairs/*/expected_m1.csv` of the folder of real data.
@Suite struct HistoryDataTests {
  private static let files: [URL] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL
    let folders = [
      ProcessInfo.processInfo.environment["CANDLED_DATA"].map { URL(filePath: $0) },
      root.appending(path: "Tests/Fixtures"), root.appending(path: "../shared/data"),
    ]
    for folder in folders.compactMap({ $0?.appending(path: "pairs") }) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      let files = names.sorted().map { folder.appending(path: "\($0)/expected_m1.csv") }
        .filter { FileManager.default.fileExists(atPath: $0.path) }
      if !files.isEmpty { return files }
    }
    return []
  }()

  @Test(.enabled(if: !files.isEmpty), arguments: files) func everyRowIsTakenDigitForDigit(file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let answer = try read(file: .csv, text).get()
    let lines = text.split(whereSeparator: \.isNewline).dropFirst()
    #expect(answer.refusals == [] && answer.outside == 0 && answer.doubled == 0)
    try #require(answer.rows.count == lines.count)
    for (row, line) in zip(answer.rows, lines) {
      let fields = line.split(separator: ",").map(String.init)
      #expect(row.openTime == Int64(fields[0]))
      #expect([row.open, row.high, row.low, row.close] == fields[1...4].map { Fixed($0) })
      #expect(row.volume == (fields.count > 5 ? FixedSum(Fixed(stringLiteral: fields[5])) : .zero))
    }
  }

  @Test(.enabled(if: !files.isEmpty), arguments: files) func theyGoThroughEveryFormatUnchanged(file: URL) throws {
    let rows = try read(file: .csv, String(contentsOf: file, encoding: .utf8)).get().rows
    let zxkline = rows.map { "\"\($0.openTime / 1_000),\($0.close),\($0.open),\($0.high),\($0.low),\($0.volume)\"" }
    #expect(try read(.zxkline, "[\(zxkline.joined(separator: ",\n"))]").get().rows == rows)
    let binance = rows.map {
      "[\($0.openTime),\"\($0.open)\",\"\($0.high)\",\"\($0.low)\",\"\($0.close)\",\"\($0.volume)\",\($0.openTime + 59_999)]"
    }
    #expect(try read(.binance, "[\(binance.joined(separator: ","))]").get().rows == rows)
    let out = ByteWriter()
    for row in rows {
      let candle = Candle(
        openTime: row.openTime, content: row.content, origin: .history, complete: true,
        settlement: Settlement(revision: 0, settledBy: .history, version: 1))
      CandleJSON.write(candle, symbol: "X", timeframe: .M1, keys: .none, values: nil, to: out)
      out.write("\n")
    }
    #expect(try read(file: .json, out.string).get().rows == rows)
  }
}
