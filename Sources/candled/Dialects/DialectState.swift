import CandleCore
import CandleWire

/// What the daemon keeps for clients that speak another protocol.
struct DialectState {
  /// From the names that clients use to series; follows the engine's symbols.
  var directory = SymbolDirectory()
  /// Decimals of the symbols that somebody asked about.
  var digits: [Int32: SymbolDigits] = [:]

  /// A candle was settled.
  mutating func note(_ update: CandleUpdate) {
    if digits.isEmpty { return }
    digits[update.series.symbol]?.note(update.candle.content)
  }
}
