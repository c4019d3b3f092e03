import CandleCore
import CandleIndicators

/// A series whose indicators must be warmed from the store before they mean anything.
public struct ColdSeries: Sendable, Equatable {
  public var symbol: Int32
  public var name: String
  public var timeframe: Timeframe
}

extension Engine {
  /// Values of a settled candle, and those of later ones that a correction changed.
  ///
  /// Called with what settlers decided, before it goes to the store.
  func computeIndicators() {
    guard plan != nil else { return }
    outputValues.removeAll(keepingCapacity: true)
    var corrected: [SeriesKey: Milliseconds] = [:]
    // What the end of a replay had cut is new to them, once.
    let isNew = newCuts()
    for (index, update) in output.updates.enumerated() where update.kind == .corrected && !isNew.contains(index) {
      corrected[update.series] = min(corrected[update.series] ?? .max, update.candle.openTime)
    }
    for (index, update) in output.updates.enumerated() {
      // What closed behind a correction of the same frame is committed after it.
      let isCorrection = update.kind == .corrected && !isNew.contains(index)
      let waits = isCorrection || update.candle.openTime >= corrected[update.series] ?? .max
      outputValues.append(waits ? nil : commit(update))
    }
    if corrected.isEmpty { return }
    for (series, openTime) in corrected.sorted(by: {
      ($0.key.symbol, $0.key.timeframe) < ($1.key.symbol, $1.key.timeframe)
    }) {
      restate(series, from: openTime)
    }
  }

  /// Positions in the output of candles that the end of a replay had cut and that indicators have not seen.
  private func newCuts() -> Set<Int> {
    var found: Set<Int> = []
    var series: Set<SeriesKey> = []
    for (index, update) in output.updates.enumerated() {
      guard update.kind == .corrected, update.candle.settlement?.settledBy == .end else { continue }
      let symbol = symbols + Int(update.series.symbol)
      let position = position(of: update.series.timeframe)
      let isSeen = symbol.pointee.series[position].indicators?.hasSeen(update.candle.openTime) ?? false
      if !isSeen, series.insert(update.series).inserted { found.insert(index) }
    }
    return found
  }

  /// For a series without stored candles.
  func makeIndicators(_ symbol: Int, _ position: Int) {
    guard let plan else { return }
    symbols[symbol].series[position].indicators = SeriesIndicators(
      plan: plan, correctionWindow: correctionDepth(timeframes[position]))
  }

  private func commit(_ update: CandleUpdate) -> ContiguousArray<Double>? {
    let symbol = Int(update.series.symbol)
    let position = position(of: update.series.timeframe)
    if symbols[symbol].series[position].isCold { return nil }
    if symbols[symbol].series[position].indicators == nil { makeIndicators(symbol, position) }
    return symbols[symbol].series[position].indicators?.commit(update.candle)
  }

  /// Candles of a timeframe that a late tick may correct, at most.
  func correctionDepth(_ timeframe: Timeframe) -> Int {
    let rules = configuration.rules
    // Ticks that run ahead of the clock settle ahead of it.
    let span = rules.correctionWindow + 2 * rules.shortest.interval + (rules.maxAhead ?? 0)
    return Int(span / timeframe.interval + 3)
  }

  /// Recomputes a series from a corrected candle on; later candles whose values changed are restated.
  private func restate(_ series: SeriesKey, from openTime: Milliseconds) {
    let symbol = Int(series.symbol)
    let position = position(of: series.timeframe)
    if symbols[symbol].series[position].isCold { return restateAll(series, position, from: openTime) }
    if symbols[symbol].series[position].indicators == nil { makeIndicators(symbol, position) }
    let candles = symbols[symbol].settler.settled(position, from: openTime)
    let updates = output.updates.indices.filter { output.updates[$0].series == series }
    let restated = symbols[symbol].series[position].indicators?.restate(from: openTime, candles) { openTime in
      updates.contains { output.updates[$0].candle.openTime == openTime }
    }
    guard let restated else {
      // Further back than what is kept reaches: the store has the candles.
      chill(symbol, position)
      return restateAll(series, position, from: openTime)
    }
    for (candle, new) in zip(candles, restated) where new.changed {
      let published = updates.filter { output.updates[$0].candle.openTime == candle.openTime }
      for index in published { outputValues[index] = new.values }
      if published.isEmpty {
        symbols[symbol].settler.restate(candle.openTime, at: position, into: &output)
        outputValues.append(new.values)
      }
    }
  }

  /// Whether values of later candles changed is not known while a series is cold: all of them are restated.
  private func restateAll(_ series: SeriesKey, _ position: Int, from openTime: Milliseconds) {
    let symbol = Int(series.symbol)
    for candle in symbols[symbol].settler.settled(position, from: openTime)
    where !output.updates.contains(where: { $0.series == series && $0.candle.openTime == candle.openTime }) {
      symbols[symbol].settler.restate(candle.openTime, at: position, into: &output)
      outputValues.append(nil)
    }
  }

  /// Computes other indicators from now on. All series are cold until they are warmed; values that were worked out and
  /// not published yet are left out.
  public func change(indicators: IndicatorConfiguration?) {
    configuration.indicators = indicators
    plan = indicators.flatMap { $0.keys.isEmpty ? nil : IndicatorPlan($0) }
    chilled = []
    coldCount = 0
    for symbol in 0..<symbolCount {
      for position in 0..<timeframeCount {
        symbols[symbol].series[position].indicators = nil
        let hasCandles = !symbols[symbol].settler.settled(position, from: .min).isEmpty
        symbols[symbol].series[position].isCold = plan != nil && hasCandles
        if plan != nil, hasCandles { coldCount += 1 }
      }
      markDirty(Int32(symbol))
    }
    pending.dropValues()
    for index in batch.values.indices { batch.values[index] = nil }
  }

  // MARK: Warming

  /// Gives up what the indicators of a series have seen.
  private func chill(_ symbol: Int, _ position: Int) {
    symbols[symbol].series[position].isCold = true
    symbols[symbol].series[position].indicators = nil
    coldCount += 1
    chilled.append(ColdSeries(symbol: Int32(symbol), name: symbols[symbol].name, timeframe: timeframes[position]))
  }

  /// Hands over the series that were warm and must be warmed again.
  public func takeChilled() -> [ColdSeries] {
    defer { chilled.removeAll() }
    return chilled
  }

  /// Series of the database whose indicators are not warm yet.
  /// - Parameter matching: which of them are asked for.
  public func coldSeries(matching: (String, Timeframe) -> Bool) -> [ColdSeries] {
    guard coldCount > 0 else { return [] }
    var cold: [ColdSeries] = []
    for symbol in 0..<symbolCount {
      for position in 0..<timeframeCount where symbols[symbol].series[position].isCold {
        let timeframe = timeframes[position]
        if matching(symbols[symbol].name, timeframe) {
          cold.append(ColdSeries(symbol: Int32(symbol), name: symbols[symbol].name, timeframe: timeframe))
        }
      }
    }
    return cold
  }

  /// Warms a series with its stored candles.
  /// - Parameter candles: the newest `IndicatorConfiguration.warmUp` of them (or all), oldest first.
  /// - Returns: false if candles were settled meanwhile that are in neither place: read again.
  public func warm(_ series: ColdSeries, with candles: [Candle]) -> Bool {
    let symbol = Int(series.symbol)
    let position = position(of: series.timeframe)
    guard let plan, symbols[symbol].series[position].isCold else { return true }
    let recent = symbols[symbol].settler.settled(position, from: .min)
    if let first = recent.first, let last = candles.last, first.openTime > last.openTime { return false }
    let indicators = SeriesIndicators(plan: plan, correctionWindow: correctionDepth(series.timeframe))
    // What forms again was stored at the end of a replay.
    let end = min(recent.first?.openTime ?? .max, symbols[symbol].settler.openSlot(position) ?? .max)
    for candle in candles where candle.openTime < end { indicators.commit(candle) }
    for candle in recent { indicators.commit(candle) }
    symbols[symbol].series[position].indicators = indicators
    symbols[symbol].series[position].isCold = false
    coldCount -= 1
    markDirty(series.symbol)
    return true
  }

  /// The values of a forming candle.
  /// - Returns: nil while the series is cold, or without indicators.
  public func formingValues(_ symbol: Int32, position: Int, _ candle: Candle) -> [Double]? {
    formingValues(Int(symbol), position, candle).map(Array.init)
  }
}
