import CandleCore
import CandleEngine
import Foundation

/// Shows candles on a terminal as they form and close.
final class CandleDisplay: @unchecked Sendable {
  private let isTerminal = isatty(STDOUT_FILENO) == 1
  private let colours: Bool
  private var hasFormingLine = false
  private var lastForming: Int64 = 0

  init() {
    colours = isTerminal && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
  }

  /// On the loop's thread of the daemon.
  func show(_ publication: Publication, symbol: String) {
    switch publication {
    case .settled(let update, _):
      clearForming()
      let content = update.candle.content
      let mark = update.kind == .closed ? "closed   " : "corrected"
      let by = update.candle.settlement?.settledBy.name ?? ""
      print(
        colour(
          rising: content.close >= content.open,
          "\(mark) \(line(update.series.timeframe, update.candle, symbol)) by \(by)"))
    case .forming(let series, let candle, _):
      guard isTerminal, series.timeframe == .M1 else { return }
      clearForming()
      print("forming   \(line(series.timeframe, candle, symbol))", terminator: "")
      hasFormingLine = true
    case .gap, .filled: break
    }
    fflush(nil)
  }

  private func clearForming() {
    if hasFormingLine { print("\r\u{1b}[2K", terminator: "") }
    hasFormingLine = false
  }

  private func line(_ timeframe: Timeframe, _ candle: Candle, _ symbol: String) -> String {
    let content = candle.content
    let name = timeframe.name.padding(toLength: 3, withPad: " ", startingAt: 0)
    let ticks = content.ticks.map { "\($0)" } ?? "?"
    return "\(name) \(symbol) \(Self.clock(candle.openTime))  O \(content.open) H \(content.high) L \(content.low) "
      + "C \(content.close)  volume \(content.volume)  ticks \(ticks)\(candle.origin == .flat ? "  flat" : "")"
  }

  private func colour(rising: Bool, _ text: String) -> String {
    colours ? "\u{1b}[\(rising ? 32 : 31)m\(text)\u{1b}[0m" : text
  }

  /// HH:MM in UTC.
  static func clock(_ time: Milliseconds) -> String {
    let minutes = time / 60_000 % 1_440
    func two(_ value: Milliseconds) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }
}
