import CandleCore
import CandleEngine
import CandleNet
import CandleStore
import CandleWire

extension Daemon {
  /// Candles by which the decimals of a symbol are known at first.
  private static let candlesForDigits = 64

  /// The series of a symbol as a client of another protocol writes it; nil if there is none.
  func series(of symbol: String) -> String? {
    while dialects.directory.count < engine.symbolCount {
      dialects.directory.add(engine.name(of: Int32(dialects.directory.count)))
    }
    return dialects.directory.series(of: symbol)
  }

  /// Base and quote: as configured, else by the name.
  func assets(of name: String) -> SymbolAssets { settings.assets[name] ?? SymbolAssets(splitting: name) }

  /// Learns the decimals of symbols from their newest candles, once; from then on each settled candle is looked at.
  /// - Parameter completion: on the loop's thread.
  func withDigits(
    of symbols: [Int32], for r: RequestID, _ completion: @escaping ([(symbol: Int32, digits: SymbolDigits)]) -> Void
  ) {
    let unknown = symbols.filter { dialects.digits[$0] == nil }
    let names = unknown.map { engine.name(of: $0) }
    let timeframe = engine.timeframes[0]
    let then = LoopBound { [self] in
      completion(
        symbols.map { symbol in
          var digits = dialects.digits[symbol] ?? SymbolDigits()
          if let forming = engine.forming(symbol, position: 0) { digits.note(forming.content) }
          return (symbol, digits)
        })
    }
    guard !unknown.isEmpty else { return then.value() }
    store.read { store throws(StoreError) in
      var contents: [[CandleContent]] = []
      for name in names {
        contents.append(
          try store.candles(symbol: name, timeframe: timeframe, limit: Self.candlesForDigits, newest: true)
            .map(\.content))
      }
      return contents
    } completion: { [self] result in
      loop.post { [self] in
        switch result {
        case .failure(let error):
          fail(r, .unavailable(error.short))
        case .success(let contents):
          for (symbol, contents) in zip(unknown, contents) {
            for content in contents { dialects.digits[symbol, default: SymbolDigits()].note(content) }
          }
          then.value()
        }
      }
    }
  }
}
