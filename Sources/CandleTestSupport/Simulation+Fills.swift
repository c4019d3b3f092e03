import CandleCore
import CandleEngine

/// A history source that has every trade, and now and then leaves a candle out.
extension Simulation {
  /// A trade happened, whoever heard it. What the source has said of an interval it does not take back.
  mutating func trade(_ tick: Tick, _ number: Int) {
    guard hasFills, told[number][rules.shortest.openTime(of: tick.time.milliseconds)] == nil else { return }
    trades[number].append(tick)
  }

  mutating func want(_ request: FillRequest) {
    switch request {
    case .gap(let gap): seams[symbols.firstIndex(of: gap.symbol)!].add(gap)
    case .candle(let series, let openTime): seams[symbols.firstIndex(of: series.symbol)!].add(openTime: openTime)
    }
  }

  /// Asks the source for a part of what is missing; the store is read at some moment while life goes on.
  mutating func fillSome() throws {
    let number = random.int(0...symbols.count - 1)
    guard let now, let asked = seams[number].next(now: now, limit: random.int(1...40)) else { return }
    let fails = random.chance(1, in: 8)
    if fails { return seams[number].failed(now: now, pause: random.int64(0...10_000)) }
    var intervals: [FilledInterval] = []
    for openTime in stride(from: asked.lowerBound, to: asked.upperBound, by: Int(rules.shortest.interval)) {
      if random.chance(1, in: 12) { continue }
      let inside = told[number][openTime] ?? tradesOf(number, openTime)
      told[number][openTime] = inside
      let model = CandleModel(rules: rules, ticks: inside, listening: [])
      intervals.append(
        FilledInterval(openTime: openTime, content: inside.isEmpty ? nil : model.fold(model.sortedTicks())))
    }
    let name = engine.name(of: symbols[number])
    engine.beginFill(symbols[number])
    if random.chance(1, in: 2) { try exchangeWithStore() }
    let reading = database.reading(of: name, rules: rules)
    for _ in 0..<random.int(0...3) {
      pass(random.int64(0...3_000))
      engine.tick(at: instant)
      try exchangeWithStore()
    }
    let outcome = engine.fill(
      symbols[number], rules.shortest, intervals, reading, learned: seams[number].learned, at: instant)
    fillCount += Int(outcome.filled)
    for gap in seams[number].answered(known: outcome.known, now: now) { engine.markFilled(gap) }
    for openTime in outcome.known { known[number].insert(openTime) }
  }

  private func tradesOf(_ number: Int, _ openTime: Milliseconds) -> [Tick] {
    trades[number].filter { rules.shortest.openTime(of: $0.time.milliseconds) == openTime }
  }

  /// What the stored candles are made of: the accepted ticks, and the source's where it has filled.
  func effectiveTicks(_ number: Int) -> [Tick] {
    let shortest = SeriesKey(symbol: symbols[number], timeframe: rules.shortest)
    let filled = (checker.stored[shortest] ?? [:]).filter { $0.value.origin == .history }
    let heard = accepted[number].filter { filled[rules.shortest.openTime(of: $0.time.milliseconds)] == nil }
    return heard + filled.keys.flatMap { told[number][$0] ?? [] }
  }

  /// When was listened to, and what the source has said whole.
  func knownStretches(_ number: Int) -> [CandleModel.Stretch] {
    var stretches = stretches[number]
    let candles = checker.stored[SeriesKey(symbol: symbols[number], timeframe: rules.shortest)] ?? [:]
    for openTime in known[number] {
      let end = openTime + rules.shortest.interval
      // Of a hole in trade ids that is found later it is told again.
      let isInHole = numbered[number].missed.contains { $0.from < end && $0.to >= openTime }
      guard candles[openTime].map({ $0.complete || isInHole }) ?? (!hasBegunAnew) else { continue }
      let joined = stretches.filter { $0.from <= end && $0.to >= openTime }
      stretches.removeAll { $0.from <= end && $0.to >= openTime }
      stretches.append(
        CandleModel.Stretch(
          from: min(openTime, joined.map(\.from).min() ?? .max), to: max(end, joined.map(\.to).max() ?? .min)))
    }
    return stretches
  }
}
