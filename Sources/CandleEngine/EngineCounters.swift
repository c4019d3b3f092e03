import CandleCore

/// What happened since the start.
public struct EngineCounters: Sendable, Equatable {
  public var ticks: Int64 = 0
  public var settledByTick: Int64 = 0
  public var settledByClock: Int64 = 0
  public var flat: Int64 = 0
  public var corrections: Int64 = 0
  public var forming: Int64 = 0
  /// Trades that are missing by their ids.
  public var missedTrades: Int64 = 0
  /// Candles that a history source filled.
  public var filled: Int64 = 0
  /// Candles that are complete from ticks and differ from what the source says.
  public var historyMismatches: Int64 = 0
  /// How often a new symbol was asked for and there were too many.
  public var symbolLimits: Int64 = 0

  public init() {}

  mutating func count(_ update: CandleUpdate) {
    if update.kind == .corrected {
      corrections &+= 1
      return
    }
    if update.candle.origin == .flat { flat &+= 1 }
    if update.candle.settlement?.settledBy == .clock { settledByClock &+= 1 } else { settledByTick &+= 1 }
  }
}
