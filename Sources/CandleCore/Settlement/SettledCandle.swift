/// A settled candle that a late tick may still correct, with all that is needed to work it out anew.
struct SettledCandle: Sendable {
  var openTime: Milliseconds
  var builder: CandleBuilder
  /// Price of a candle without ticks: the close of the one before.
  var flatPrice: Fixed
  /// Flat candles in a row up to and including this one; 0 for one with ticks.
  var flatRun: Int32
  var complete: Bool
  var settlement: Settlement
  /// It was filled from a history source, whole, or is a longer one that holds such a candle.
  var hasHistory = false
  /// Got a late tick, or was made by one, in the running frame.
  var touched = false

  static let nothing = SettledCandle(
    openTime: 0, builder: .empty, flatPrice: .zero, flatRun: 0, complete: false,
    settlement: Settlement(revision: 0, settledBy: .tick, version: 0))

  var isFlat: Bool { builder.isEmpty }
  var close: Fixed { isFlat ? flatPrice : builder.closePrice }

  var candle: Candle {
    Candle(
      openTime: openTime, content: isFlat ? .flat(at: flatPrice) : builder.content,
      origin: hasHistory ? .history : isFlat ? .flat : .ticks, complete: complete, settlement: settlement)
  }
}
