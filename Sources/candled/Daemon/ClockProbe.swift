import CandleCore
import CandleEngine
import CandleNet
import CandleWire

/// Asks a time endpoint how far the exchange's clock is from ours.
///
/// Several questions make a measurement; the one with the smallest round trip tells most. The exchange read its clock at
/// some moment between question and answer, most likely in the middle.
final class ClockProbe {
  /// Questions of one measurement.
  private static let samples = 5
  /// Milliseconds until a failed measurement is tried again.
  private static let retry: Int64 = 5_000

  private let settings: ClockSettings
  private let loop: EventLoop
  private let log: Log
  private let measured: (Milliseconds) -> Void
  private var next: Int64 = 0
  private var isRunning = false
  private var best: (roundTrip: Int64, offset: Milliseconds)?
  private(set) var measurements: Int64 = 0
  private(set) var failures: Int64 = 0
  /// Of the last measurement, in milliseconds.
  private(set) var roundTrip: Milliseconds?

  /// Monotonic time of the next measurement, in nanoseconds; nil while one runs.
  var due: Int64? { isRunning ? nil : next }

  init(_ settings: ClockSettings, loop: EventLoop, log: Log, measured: @escaping (Milliseconds) -> Void) {
    self.settings = settings
    self.loop = loop
    self.log = log
    self.measured = measured
  }

  /// Begins a measurement if one is due.
  func run(at instant: Instant) {
    guard !isRunning, instant.monotonic >= next else { return }
    isRunning = true
    best = nil
    ask(left: Self.samples)
  }

  private func ask(left: Int) {
    let before = MachineClock.now()
    loop.get(settings.url, timeout: .seconds(5), maxBody: 64 << 10) { [self] result in
      let after = MachineClock.now()
      switch result {
      case .success(let answer) where answer.status == 200:
        if let time = Self.time(in: answer.body, at: settings.field) {
          let roundTrip = after.monotonic - before.monotonic
          let middle = before.wall + roundTrip / 2_000_000
          if roundTrip < best?.roundTrip ?? .max { best = (roundTrip, time - middle) }
        } else {
          fail("the answer has no Unix time at \(settings.field.joined(separator: "."))")
        }
      case .success(let answer): fail("status \(answer.status)")
      case .failure(let error): fail(error.shortForm)
      }
      if left > 1, best != nil { ask(left: left - 1) } else { finish(after) }
    }
  }

  private func fail(_ reason: String) {
    failures += 1
    log.warning("the time endpoint gave no time; the last offset is kept", ["url": publicURL, "reason": reason])
  }

  private var publicURL: String { String(settings.url.prefix { $0 != "?" }) }

  private func finish(_ instant: Instant) {
    isRunning = false
    guard let best else {
      next = instant.monotonic + Self.retry * 1_000_000
      return
    }
    next = instant.monotonic + settings.every * 1_000_000
    measurements += 1
    roundTrip = best.roundTrip / 1_000_000
    measured(best.offset)
  }

  /// - Parameter field: keys of objects and places in arrays, from the top.
  /// - Returns: Unix milliseconds; the unit goes by the number of digits.
  static func time(in body: [UInt8], at field: [String]) -> Milliseconds? {
    guard var value = body.withUnsafeBytes({ JSONValue(parsing: $0) }) else { return nil }
    for segment in field {
      if let next = value[segment] {
        value = next
      } else if let index = Int(segment), let array = value.array, array.indices.contains(index) {
        value = array[index]
      } else {
        return nil
      }
    }
    switch value {
    case .number(var text), .string(var text):
      return text.withUTF8 { Timestamp.scan(UnsafeRawBufferPointer($0), unit: .auto)?.milliseconds }
    default: return nil
    }
  }
}

/// Where the exchange's time is asked for.
struct ClockSettings: Sendable, Equatable {
  var url: String
  var field: [String]
  /// Milliseconds between two measurements.
  var every: Milliseconds
}
