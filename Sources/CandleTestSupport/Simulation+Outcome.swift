import CandleCore
import CandleEngine
import CandleIndicators

/// The end of a simulated life, held against the batch.
extension Simulation {
  mutating func finish() throws {
    // Long enough for every open candle (but a week) to be settled by the clock.
    pass(rules.timeframes.last == .W1 ? 400_000 : 2_000_000)
    engine.tick(at: instant)
    while try missSome() {}
    for _ in 0..<3 { try exchangeWithStore() }
    while !batches.isEmpty { try exchangeWithStore() }
    publishForming()
    try drain()
    try checker.finish(failing)
    guard let now else { return }
    for number in symbols.indices {
      // What a tick that ran ahead has settled is settled, whatever the clock says.
      let limit = max(now - rules.grace, checker.settledEnd[symbols[number]] ?? .min)
      let model = CandleModel(
        rules: rules, ticks: effectiveTicks(number), listening: knownStretches(number),
        missed: missedStretches(number))
      try compare(number, model.candles(upTo: limit))
      try compareIndicators(number)
    }
  }

  /// What was last published of each candle equals one pass over the stored candles.
  private func compareIndicators(_ number: Int) throws {
    guard let indicators = configuration.indicators else { return }
    let plan = IndicatorPlan(indicators)
    for timeframe in rules.timeframes {
      let key = SeriesKey(symbol: symbols[number], timeframe: timeframe)
      let candles = (checker.stored[key] ?? [:]).values.sorted { $0.openTime < $1.openTime }
      let batch = IndicatorHistory.values(of: candles, after: [], plan: plan)
      var scale = [Double](repeating: 0, count: plan.keys.count)
      for row in batch {
        for index in row.indices where row[index].isFinite { scale[index] = max(scale[index], row[index].magnitude) }
      }
      for (candle, expected) in zip(candles, batch) {
        guard let published = checker.values[key]?[candle.openTime] else {
          // Decided anew after a restart, before its series was warm: values come with the next reading.
          if hasBegunAnew { continue }
          // Readers were told to load it anew.
          if let from = checker.reloaded[key], candle.openTime >= from { continue }
          throw fail("\(timeframe.name) at \(candle.openTime): no indicator values were published")
        }
        for index in expected.indices {
          let tolerance = 1e-9 * max(expected[index].magnitude, 1e-3 * scale[index])
          let same =
            expected[index].isNaN ? published[index].isNaN : (published[index] - expected[index]).magnitude <= tolerance
          if !same {
            throw fail(
              "\(timeframe.name) at \(candle.openTime): \(plan.keys[index]) was published as \(published[index]), "
                + "one pass yields \(expected[index])")
          }
        }
      }
    }
  }

  /// Whether an interval of the shortest timeframe inside a longer one has no candle.
  private func hasSilence(_ number: Int, _ slot: Range<Milliseconds>) -> Bool {
    let stored = checker.stored[SeriesKey(symbol: symbols[number], timeframe: rules.shortest)] ?? [:]
    return stride(from: slot.lowerBound, to: slot.upperBound, by: Int(rules.shortest.interval)).contains {
      stored[$0] == nil
    }
  }

  private func compare(_ number: Int, _ expected: [Timeframe: [Milliseconds: CandleModel.Expected]]) throws {
    for timeframe in rules.timeframes {
      let key = SeriesKey(symbol: symbols[number], timeframe: timeframe)
      let stored = checker.stored[key] ?? [:]
      for (openTime, candle) in (expected[timeframe] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let actual = stored[openTime] else {
          throw fail(
            "\(timeframe.name) of symbol \(number): no candle at \(openTime), expected \(candle); rules \(rules), "
              + "clock \(configuration.clock), listening \(stretches[number])")
        }
        // Whether ticks or a source told it makes no difference to anything else.
        let origin = actual.origin == .history ? candle.origin : actual.origin
        var found = CandleModel.Expected(content: actual.content, origin: origin, complete: actual.complete)
        // That it was silent is not remembered for ever where silence leaves no candle; what is called complete must
        // be so, as far as is known here.
        if hasFills, hasSilence(number, openTime..<openTime + timeframe.interval),
          candle.complete || hasBegunAnew
        {
          found.complete = candle.complete
        }
        if found != candle {
          throw fail(
            "\(timeframe.name) of symbol \(number) at \(openTime): \(found), expected \(candle); rules \(rules), "
              + "clock \(configuration.clock), listening \(stretches[number])")
        }
      }
      for openTime in stored.keys where expected[timeframe]?[openTime] == nil && !checker.isCut(stored[openTime]!) {
        throw fail(
          "\(timeframe.name) of symbol \(number): candle that the batch does not have: \(stored[openTime]!); "
            + "rules \(rules), clock \(configuration.clock), listening \(stretches[number])")
      }
    }
  }
}
