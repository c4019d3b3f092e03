import CandleConfiguration
import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet
import CandleStore
import Foundation
import Synchronization

/// Fills a range by hand from the history source of a feed.
enum BackfillCommand {
  /// How often a chunk is asked for before it is given up.
  private static let attempts = 5

  static func run(_ invocation: Invocation) -> ExitCode {
    let path = Configuration.find(explicit: invocation.text("config"))
    switch CheckCommand.load(path) {
    case .failure(let problems):
      for problem in problems.list { Console.error("\(problem)") }
      return .configuration
    case .success(let configuration):
      do {
        return try run(invocation, DaemonSettings(configuration))
      } catch let failure as CommandFailure {
        Console.error("candled backfill: \(failure.message)")
        return failure.code
      } catch {
        Console.error("candled backfill: \(error)")
        return .io
      }
    }
  }

  private static func run(_ invocation: Invocation, _ settings: DaemonSettings) throws -> ExitCode {
    let symbol = invocation.text("symbol") ?? ""
    let feed = settings.feeds.first { feed in
      feed.history != nil && feed.venueName(of: symbol) != nil
        && (invocation.text("feed").map { $0 == feed.name } ?? true)
    }
    guard let feed, let history = feed.history, let venueName = feed.venueName(of: symbol) else {
      throw CommandFailure(code: .usage, message: "no feed of the configuration has a history source for \(symbol)")
    }
    let rules = settings.engine.rules
    let timeframe = rules.shortest
    let fill = try OfflineFill(symbol, timeframe, rules: rules, database: settings.database)
    let from = timeframe.openTime(of: invocation.time("from") ?? 0)
    let to = min(invocation.time("to") ?? .max, fill.settledUntil)
    let source = try HistoryClient(history, symbol: venueName, timeframe: timeframe)
    defer { source.close() }
    let chunks = HistoryChunks(from..<to, timeframe: timeframe, format: history.format)
    var progress = ProgressBar(label: "backfill")
    progress.begin(total: Int64(chunks.count))
    var asked: Int64 = 0
    var refused = 0
    for chunk in chunks {
      let answer = try source.ask(chunk, attempts: attempts)
      let intervals = answer.intervals(chunk, timeframe: timeframe, omitsEmpty: history.omitsEmpty)
      try fill.take(intervals, of: chunk, isWhole: history.omitsEmpty && answer.refused == 0)
      asked += (chunk.upperBound - chunk.lowerBound + timeframe.interval - 1) / timeframe.interval
      refused += answer.refused
      progress.advance(1)
    }
    progress.end()
    try fill.finish()
    print(
      "backfilled \(fill.filled) candles of \(symbol) \(timeframe.name); \(fill.known - Int(fill.filled)) were there "
        + "already or empty, \(fill.mismatched) differ; \(Int(asked) - fill.known) are missing at the source; "
        + "refused \(refused)")
    return .ok
  }
}

/// Asks a history source from a thread that waits for the answer.
final class HistoryClient {
  private let specification: HistorySpecification
  private let symbol: String
  private let timeframe: Timeframe
  private let loop: EventLoop

  init(_ specification: HistorySpecification, symbol: String, timeframe: Timeframe) throws {
    self.specification = specification
    self.symbol = symbol
    self.timeframe = timeframe
    var configuration = NetConfiguration()
    configuration.host = nil
    loop = try EventLoop(configuration)
    loop.start(handler: ClientOnly())
  }

  func close() {
    loop.stop(deadline: .seconds(1))
    loop.join()
  }

  func ask(_ asked: Range<Milliseconds>, attempts: Int) throws -> HistoryAnswer {
    guard
      let url = HistoryRequest.url(
        specification.format, base: specification.url, symbol: symbol, timeframe: timeframe, asked: asked)
    else { throw CommandFailure(code: .usage, message: "the source has no candles of \(timeframe.name)") }
    var reason = ""
    for attempt in 1...attempts {
      usleep(UInt32(specification.spacing) * 1_000)
      switch get(url) {
      case .failure(let error): reason = "\(error.shortForm): \(error.detail)"
      case .success(let answer) where answer.status != 200: reason = "status \(answer.status)"
      case .success(let answer):
        let parsed = answer.body.withUnsafeBytes {
          HistoryBody.parse(
            $0, format: specification.format, timeframe: timeframe, asked: asked, symbol: symbol)
        }
        switch parsed {
        case .success(let rows): return rows
        case .failure(let error): reason = error.description
        }
      }
      if attempt < attempts { usleep(UInt32(500_000 << attempt)) }
    }
    throw CommandFailure(
      code: .unavailable, message: "\(FeedSpecification.withoutSecrets(specification.url)): \(reason)")
  }

  private func get(_ url: String) -> Result<HTTPClientResponse, NetError> {
    let box = AnswerBox()
    let authority = specification.certificateAuthority
    loop.post { [loop] in
      loop.get(url, authority: authority, timeout: .seconds(30), maxBody: 32 << 20) { result in box.put(result) }
    }
    return box.wait()
  }
}

/// Between the loop's thread and the one that waits.
private final class AnswerBox: Sendable {
  private let answer = Mutex<Result<HTTPClientResponse, NetError>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  func wait() -> Result<HTTPClientResponse, NetError> {
    done.wait()
    return answer.withLock { $0! }
  }

  func put(_ result: Result<HTTPClientResponse, NetError>) {
    answer.withLock { $0 = result }
    done.signal()
  }
}

/// A loop that serves nobody.
private final class ClientOnly: LoopHandler {
  func turn(_ loop: EventLoop) -> Wake { .at(nil) }
  func upgradeRequested(_ request: UpgradeRequest) -> UpgradeDecision {
    .reject(status: 404, body: [], contentType: "text/plain")
  }
  func opened(_ c: ConnectionID, _ request: UpgradeRequest) {}
  func received(_ c: ConnectionID, _ message: UnsafeRawBufferPointer, isText: Bool) {}
  func writable(_ c: ConnectionID, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
  func closed(_ c: ConnectionID, code: UInt16?, reason: String) {}
  func request(_ r: RequestID, _ request: HTTPRequest) {}
}
