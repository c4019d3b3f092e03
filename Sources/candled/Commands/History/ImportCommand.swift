import CandleConfiguration
import CandleCore
import CandleEngine
import CandleFeeds
import Foundation

/// Fills a series, and the longer ones made of it, from files of candles.
enum ImportCommand {
  /// Candles that are filled at a time, at least; a part ends where a slot of the longest timeframe does.
  private static let part = 10_000

  static func run(_ invocation: Invocation) -> ExitCode {
    do {
      return try load(invocation)
    } catch let failure as CommandFailure {
      Console.error("candled import: \(failure.message)")
      return failure.code
    } catch {
      Console.error("candled import: \(error)")
      return .io
    }
  }

  private static func load(_ invocation: Invocation) throws -> ExitCode {
    let symbol = invocation.text("symbol") ?? ""
    let rules = SettlementRules(
      timeframes: invocation.timeframes("timeframes") ?? [.M1, .M5, .M15],
      emptyCandles: EmptyCandles(rawValue: invocation.text("empty") ?? "") ?? .flat,
      flatLimit: Int32(invocation.integer("flat-limit") ?? 1_440))
    let timeframe = invocation.text("timeframe").flatMap { Timeframe($0) } ?? rules.shortest
    let format = invocation.text("format").flatMap(HistoryFileFormat.init(rawValue:)) ?? .csv
    let isWhole = invocation.has("omits-empty")
    var rows: [Milliseconds: HistoryRow] = [:]
    var refused = 0
    for file in invocation.arguments("FILE") {
      let answer = try read(file, format, timeframe, symbol)
      refused += report(answer, file)
      // Of the same candle in several files the last one counts.
      for row in answer.rows { rows[row.openTime] = row }
    }
    let sorted = rows.values.sorted { $0.openTime < $1.openTime }
    let fill = try OfflineFill(symbol, timeframe, rules: rules, database: invocation.text("db") ?? "candles.db")
    let settled = sorted.filter { $0.complete && $0.openTime < fill.settledUntil }
    var progress = ProgressBar(label: "import")
    progress.begin(total: Int64(settled.count))
    for part in parts(of: settled, longest: rules.timeframes.last ?? timeframe) {
      try take(part, settled, timeframe, isWhole: isWhole, fill)
      progress.advance(Int64(part.count))
    }
    progress.end()
    try fill.finish()
    print(
      "imported \(fill.filled) candles of \(symbol) \(timeframe.name) from \(sorted.count) rows; "
        + "\(fill.known - Int(fill.filled)) were there already, \(fill.mismatched) of them differ; "
        + "\(sorted.count - settled.count) not complete; refused \(refused)")
    return invocation.has("strict") && refused > 0 ? .badInput : .ok
  }

  private static func read(
    _ path: String, _ format: HistoryFileFormat, _ timeframe: Timeframe, _ symbol: String
  ) throws -> HistoryAnswer {
    let data: Data
    do {
      data =
        path == "-"
        ? FileHandle.standardInput.readDataToEndOfFile()
        : try Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
    } catch {
      throw CommandFailure(code: .io, message: "\(path): \(error.localizedDescription)")
    }
    let result = data.withUnsafeBytes {
      HistoryBody.parse(file: $0, format: format, timeframe: timeframe, asked: .min ..< .max, symbol: symbol)
    }
    switch result {
    case .success(let answer): return answer
    case .failure(let error): throw CommandFailure(code: .badInput, message: "\(path): \(error)")
    }
  }

  private static func report(_ answer: HistoryAnswer, _ path: String) -> Int {
    for refusal in answer.refusals.prefix(10) {
      Console.error("\(path): \(refusal.reason.rawValue): \(refusal.text)")
    }
    if answer.refused > 10 { Console.error("further refused rows are only counted") }
    return answer.refused
  }

  private static func parts(of rows: [HistoryRow], longest: Timeframe) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var begin = 0
    for index in rows.indices.dropFirst() {
      let isSlot = longest.openTime(of: rows[index].openTime) != longest.openTime(of: rows[index - 1].openTime)
      guard index - begin >= part, isSlot else { continue }
      parts.append(begin..<index)
      begin = index
    }
    if begin < rows.count { parts.append(begin..<rows.count) }
    return parts
  }

  private static func take(
    _ part: Range<Int>, _ rows: [HistoryRow], _ timeframe: Timeframe, isWhole: Bool, _ fill: OfflineFill
  ) throws {
    guard let first = rows[part].first, let last = rows[part].last else { return }
    // Up to where the next part begins.
    let end = part.upperBound < rows.count ? rows[part.upperBound].openTime : last.openTime + timeframe.interval
    var intervals: [FilledInterval] = []
    var next = part.lowerBound
    var openTime = first.openTime
    while next < part.upperBound || (isWhole && openTime < end) {
      if next < part.upperBound, rows[next].openTime == openTime || !isWhole {
        intervals.append(FilledInterval(openTime: rows[next].openTime, content: rows[next].content))
        openTime = rows[next].openTime
        next += 1
      } else {
        intervals.append(FilledInterval(openTime: openTime, content: nil))
      }
      openTime += timeframe.interval
    }
    try fill.take(intervals, of: first.openTime..<end, isWhole: isWhole)
  }
}
