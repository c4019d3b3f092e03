import CandleCore
import CandleEngine
import CandleStore
import CandleWire

/// With `indicators.store` candles behind a filled one have stored values that are no longer right.
extension Daemon {
  /// Rows of one batch.
  private static let indicatorPage = 1_000

  func noteChanges(_ outcome: FillOutcome, of seam: SymbolSeam, upTo end: Milliseconds) {
    guard settings.storeIndicators, engine.plan != nil else { return }
    for (position, from) in outcome.changedFrom.enumerated() {
      guard let from else { continue }
      let timeframe = engine.timeframes[position]
      let known = seam.changed[timeframe] ?? from..<end
      seam.changed[timeframe] = min(known.lowerBound, from)..<max(known.upperBound, end)
    }
    seam.changedVersion = engine.lastVersion
    hasChangedSeams = true
  }

  /// Begins to write what filled candles have changed, once nothing more is wanted of a symbol.
  func storeIndicatorsAnew() {
    guard hasChangedSeams else { return }
    hasChangedSeams = false
    for seam in seams.values where !seam.changed.isEmpty {
      hasChangedSeams = true
      guard seam.candles == 0 else { continue }
      guard engine.publishedVersion >= seam.changedVersion, let plan = engine.plan else { continue }
      for (timeframe, range) in seam.changed {
        // Further on nothing of the change is left.
        let end = range.upperBound + Int64(plan.configuration.warmUp) * timeframe.interval
        storeIndicatorsAnew(seam, timeframe, range.lowerBound..<end)
      }
      seam.changed = [:]
    }
  }

  private func storeIndicatorsAnew(_ seam: SymbolSeam, _ timeframe: Timeframe, _ range: Range<Milliseconds>) {
    guard let plan = engine.plan else { return }
    let name = seam.name
    let key = SeriesKey(symbol: seam.symbol, timeframe: timeframe)
    let keys = hub.keys
    let generation = indicatorGeneration
    store.read { store throws(StoreError) in
      let candles = try store.candles(
        symbol: name, timeframe: timeframe, from: range.lowerBound, to: range.upperBound, limit: Self.indicatorPage)
      let values = try store.values(of: candles, symbol: name, timeframe: timeframe, plan: plan)
      let out = ByteWriter(capacity: 512)
      return zip(candles, values).compactMap { candle, values -> IndicatorRow? in
        guard let version = candle.settlement?.version, let values else { return nil }
        out.clear()
        values.withUnsafeBufferPointer { CandleJSON.write($0, keys: keys, to: out) }
        return IndicatorRow(series: key, openTime: candle.openTime, version: version, text: out.array)
      }
    } completion: { [self] result in
      loop.post { [self] in
        switch result {
        case .failure(let error):
          log.error("stored indicators cannot be written anew", ["symbol": name, "error": "\(error)"])
        case .success(let rows):
          guard let last = rows.last, generation == indicatorGeneration else { return }
          var batch = WriteBatch()
          batch.indicators = rows
          store.submit(batch)
          guard rows.count == Self.indicatorPage else { return }
          storeIndicatorsAnew(seam, timeframe, last.openTime + 1..<range.upperBound)
        }
      }
    }
  }
}
