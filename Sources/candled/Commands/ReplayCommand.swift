import CandleConfiguration
import CandleCore
import CandleEngine
import CandleFeeds
import CandleIndicators
import CandleStore
import Foundation

/// Builds candles from tick files.
enum ReplayCommand {
  static func run(_ invocation: Invocation) -> ExitCode {
    do {
      let replay = try Replay(invocation)
      defer { replay.loader.close() }
      for file in invocation.arguments("FILE") { try replay.read(file) }
      try replay.finish()
      print(replay.summary)
      return invocation.has("strict") && replay.refusedTotal > 0 ? .badInput : .ok
    } catch let error as ReplayError {
      Console.error("candled replay: \(error.message)")
      return error.code
    } catch {
      Console.error("candled replay: \(error)")
      return .io
    }
  }
}

struct ReplayError: Error {
  var code: ExitCode
  var message: String
}

/// One run: files in, rows out.
final class Replay {
  /// Bytes that are read at a time.
  static let chunkSize = 1 << 18
  /// Bytes that are parsed before their ticks are settled; what lies between stays in the processor's nearest cache.
  private static let parseSize = 1 << 13

  let loader: BulkLoader
  let replayer: Replayer
  private let format: TextFormat
  private let replace: Bool
  private let plan: IndicatorPlan?
  /// By symbol and timeframe.
  private var indicators: ContiguousArray<IndicatorWriter?> = []
  var numbers = SymbolInterner()
  private var names: [String] = []
  private var batch = TickBatch()
  private var candles: Int64 = 0
  private var corrections: Int64 = 0
  private var newestVersion: Int64
  private var failure: ReplayError?
  var progress = ProgressBar(label: "replay")
  private var logged = 0

  init(_ invocation: Invocation) throws {
    var rules = SettlementRules(
      timeframes: invocation.timeframes("timeframes") ?? [.M1, .M5, .M15],
      emptyCandles: EmptyCandles(rawValue: invocation.text("empty") ?? "") ?? .flat,
      flatLimit: Int32(invocation.integer("flat-limit") ?? 1_440))
    if let window = invocation.duration("correction-window") { rules.correctionWindow = window }
    replace = invocation.has("replace")
    plan = invocation.has("indicators") ? IndicatorPlan(IndicatorConfiguration()) : nil
    loader = try BulkLoader.open(path: invocation.text("db") ?? "candles.db")
    replayer = Replayer(rules: rules, version: loader.lastVersion)
    newestVersion = loader.lastVersion
    let unit = TimestampUnit(rawValue: invocation.text("timestamp") ?? "auto") ?? .auto
    if let symbol = invocation.text("symbol") {
      format = TextFormat(timestamp: unit, symbolColumn: .none(0))
      _ = try add(symbol)
    } else {
      format = TextFormat(timestamp: unit, symbolColumn: .first)
    }
  }

  var refusedTotal: Int64 { replayer.refused.reduce(0, +) }

  /// `replayed N ticks of S symbols: C candles, K corrections; refused R (reason n, …)`.
  var summary: String {
    var text =
      "replayed \(replayer.accepted) ticks of \(names.count) symbols: \(candles) candles, \(corrections) corrections"
    text += "; refused \(refusedTotal)"
    let reasons = RefusalReason.allCases.filter { replayer.refused[Int($0.rawValue)] > 0 }
    if !reasons.isEmpty {
      text += " (" + reasons.map { "\($0.name) \(replayer.refused[Int($0.rawValue)])" }.joined(separator: ", ") + ")"
    }
    return text
  }

  /// A symbol is met for the first time.
  func add(_ name: String) throws -> Int32 {
    for timeframe in replayer.rules.timeframes where try loader.exists(symbol: name, timeframe: timeframe) {
      guard replace else {
        throw ReplayError(
          code: .badInput,
          message: "the database has candles of \(name) \(timeframe.name) already; --replace replaces them")
      }
      try loader.removeCandles(symbol: name, timeframe: timeframe)
    }
    let number = replayer.addSymbol()
    loader.name(number, name)
    names.append(name)
    return number
  }

  func read(_ path: String) throws {
    if Self.isDirectory(path) { return try readJournal(path) }
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY)
    guard descriptor >= 0 else {
      throw ReplayError(code: .io, message: "\(path): \(String(cString: strerror(errno)))")
    }
    defer { if path != "-" { close(descriptor) } }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      progress.begin(total: Int64(status.st_size))
    }
    let buffer = UnsafeMutableRawPointer.allocate(byteCount: Self.chunkSize, alignment: 16)
    defer { buffer.deallocate() }
    var held = 0
    var line = 1
    while true {
      let count = Glibc.read(descriptor, buffer + held, Self.chunkSize - held)
      if count < 0 {
        if errno == EINTR { continue }
        throw ReplayError(code: .io, message: "\(path): \(String(cString: strerror(errno)))")
      }
      if count == 0 { break }
      held += count
      progress.advance(Int64(count))
      // Only whole lines; the chunks of a pipe are filled up first, so that the result does not depend on its writer.
      if held < Self.chunkSize { continue }
      let whole = try wholeLines(buffer, held, path)
      line = try ingest(UnsafeRawBufferPointer(start: buffer, count: whole), firstLine: line, path)
      held -= whole
      buffer.copyMemory(from: buffer + whole, byteCount: held)
    }
    _ = try ingest(UnsafeRawBufferPointer(start: buffer, count: held), firstLine: line, path)
    progress.end()
  }

  private func wholeLines(_ buffer: UnsafeMutableRawPointer, _ held: Int, _ path: String) throws -> Int {
    let bytes = UnsafeRawBufferPointer(start: buffer, count: held)
    guard let last = bytes.lastIndex(of: 10) else {
      throw ReplayError(code: .badInput, message: "\(path): a line is longer than \(Self.chunkSize) bytes")
    }
    return last + 1
  }

  /// - Returns: the number of the next line.
  private func ingest(_ chunk: UnsafeRawBufferPointer, firstLine: Int, _ path: String) throws -> Int {
    var line = firstLine
    var at = 0
    while at < chunk.count {
      let end = Self.endOfLines(chunk, at)
      line = try ingestPart(UnsafeRawBufferPointer(rebasing: chunk[at..<end]), firstLine: line, path)
      at = end
    }
    try store()
    return line
  }

  /// Where about `parseSize` bytes of whole lines end.
  private static func endOfLines(_ chunk: UnsafeRawBufferPointer, _ at: Int) -> Int {
    guard chunk.count - at > parseSize else { return chunk.count }
    var end = at + parseSize
    while end < chunk.count, chunk[end - 1] != 10 { end += 1 }
    return end
  }

  private func ingestPart(_ part: UnsafeRawBufferPointer, firstLine: Int, _ path: String) throws -> Int {
    batch.clear()
    let nextLine = format.parse(part, into: &batch, firstLine: firstLine, symbols: &numbers) { name in
      do {
        return .success(try add(String(decoding: name, as: UTF8.self)))
      } catch {
        failure = error as? ReplayError ?? ReplayError(code: .io, message: "\(error)")
        return .failure(.unknownSymbol)
      }
    }
    if let failure { throw failure }
    for refused in batch.refused {
      replayer.count(refused.reason)
      report(path, refused.line, refused.reason, part, refused.range)
    }
    batch.ticks.withUnsafeBufferPointer { ticks in
      replayer.ingest(ticks) { report(path, batch.places[$0].line, $1, part, batch.places[$0].range) }
    }
    return nextLine
  }

  /// The first refused lines are shown, all are counted.
  private func report(
    _ path: String, _ line: Int, _ reason: RefusalReason, _ chunk: UnsafeRawBufferPointer, _ range: Range<Int>
  ) {
    logged += 1
    guard logged <= 10 else { return }
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: chunk[range].prefix(200)), as: UTF8.self)
    progress.clear()
    Console.error("\(path):\(line): \(reason.name): \(text)")
    if logged == 10 { Console.error("further refused lines are only counted") }
  }

  func store() throws {
    try replayer.takeUpdates { update in
      if update.kind == .closed || update.candle.settlement?.revision == 0 { candles += 1 }
      if update.kind == .corrected { corrections += 1 }
      guard let plan else { return try loader.append(update.series, update.candle) }
      let writer = indicatorWriter(update.series, plan)
      try writer.add(update) { candle, text in
        try loader.append(update.series, candle, indicators: text)
      }
    }
  }

  private func indicatorWriter(_ series: SeriesKey, _ plan: IndicatorPlan) -> IndicatorWriter {
    let place = Int(series.symbol) * Timeframe.allCases.count + Int(series.timeframe.rawValue)
    while indicators.count <= place { indicators.append(nil) }
    if let known = indicators[place] { return known }
    let writer = IndicatorWriter(plan: plan, rules: replayer.rules, series.timeframe)
    indicators[place] = writer
    return writer
  }

  func finish() throws {
    replayer.finish()
    try store()
    for (place, writer) in indicators.enumerated() {
      guard let writer else { continue }
      let (symbol, timeframe) = place.quotientAndRemainder(dividingBy: Timeframe.allCases.count)
      let series = SeriesKey(symbol: Int32(symbol), timeframe: Timeframe.allCases[timeframe])
      try writer.finish { candle, text in try loader.append(series, candle, indicators: text) }
    }
    try loader.finish()
  }
}
