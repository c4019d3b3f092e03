import CandleCore
import CandleFeeds

private let asked = 1_699_999_200_000..<Int64(1_700_006_400_000)

private func check(_ result: Result<HistoryAnswer, HistoryError>) {
  guard case .success(let answer) = result else { return }
  var last = Int64.min
  for row in answer.rows {
    promise(asked.contains(row.openTime) && row.openTime % 60_000 == 0, "a row that was not asked for")
    promise(row.openTime > last, "rows out of order")
    last = row.openTime
  }
}

/// Answers of history sources.
func fuzzHistory(_ input: UnsafeRawBufferPointer) {
  let (choice, body) = split(input)
  let formats = HistoryFormat.allCases
  check(
    HistoryBody.parse(body, format: formats[choice % formats.count], timeframe: .M1, asked: asked, symbol: "BTCUSDT"))
}

/// Files of candles.
func fuzzHistoryFiles(_ input: UnsafeRawBufferPointer) {
  let (choice, file) = split(input)
  let formats = HistoryFileFormat.allCases
  check(HistoryBody.parse(file: file, format: formats[choice % formats.count], timeframe: .M1, asked: asked))
}
