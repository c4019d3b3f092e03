import CandleCore
import CandleEngine
import CandleFeeds
import CandleNet
import CandleStore

/// The seam between history and live data: what was not heard is asked for, while live ticks flow.
extension Daemon {
  /// Longest answer of a history source, in bytes.
  private static let longestAnswer = 32 << 20
  private static let answerTimeout = Duration.seconds(30)

  /// After the feeds changed: each symbol is filled from the first feed that has a history source.
  func makeSeams() {
    let rules = settings.engine.rules
    var sources: [HistorySource] = []
    var made: [Int32: SymbolSeam] = [:]
    for feed in feeds {
      guard let history = feed.specification.history else { continue }
      let known = (sources + Array(seams.values.map(\.source))).first { $0.specification == history }
      let source = known ?? HistorySource(history)
      sources.append(source)
      for symbol in feed.historySymbols where made[symbol.number] == nil {
        if let old = seams[symbol.number], old.source === source, old.venueName == symbol.venueName {
          made[symbol.number] = old
        } else {
          made[symbol.number] = SymbolSeam(
            symbol: symbol.number, name: engine.name(of: symbol.number), venueName: symbol.venueName, source: source,
            rules: rules)
        }
      }
    }
    let fresh = made.values.filter { $0 !== seams[$0.symbol] }
    for symbol in seams.keys where made[symbol] == nil { engine.setHistory(false, of: symbol) }
    seams = made
    for seam in fresh { engine.setHistory(true, of: seam.symbol) }
    if !fresh.isEmpty { readHoles(fresh) }
  }

  /// What an earlier process, or one without this source, left unfilled.
  private func readHoles(_ fresh: [SymbolSeam]) {
    let names = fresh.map(\.name)
    let roots = settings.engine.rules.roots
    store.read { store throws(StoreError) in
      var holes: [String: (gaps: [StoredGap], first: [Candle?])] = [:]
      for name in names {
        var first: [Candle?] = []
        for root in roots { first.append(try store.candles(symbol: name, timeframe: root, limit: 1).first) }
        holes[name] = (try store.gaps(symbol: name).filter { !$0.filled && $0.to != nil }, first)
      }
      return holes
    } completion: { [self] result in
      loop.post { [self] in
        switch result {
        case .failure(let error): log.error("gaps cannot be read", ["error": "\(error)"])
        case .success(let holes):
          for seam in seams.values {
            guard let known = holes[seam.name] else { continue }
            for index in seam.queues.indices {
              for gap in known.gaps {
                seam.queues[index].add(
                  Gap(symbol: seam.symbol, from: gap.from, to: gap.to, reason: gap.reason, version: gap.version))
              }
              if let first = known.first[index], !first.complete, first.origin != .history {
                seam.queues[index].add(openTime: first.openTime)
              }
            }
          }
          seamDue = 0
        }
      }
    }
  }

  /// Asks for what is missing and may be asked for.
  func runSeams() {
    guard !seams.isEmpty, !isStopping else { return }
    engine.takeFillRequests { request in
      switch request {
      case .gap(let gap):
        guard let seam = seams[gap.symbol] else { return }
        for index in seam.queues.indices { seam.queues[index].add(gap) }
      case .candle(let series, let openTime):
        guard let seam = seams[series.symbol] else { return }
        for index in seam.queues.indices where seam.queues[index].timeframe == series.timeframe {
          seam.queues[index].add(openTime: openTime)
        }
      }
      seamDue = 0
    }
    storeIndicatorsAnew()
    guard instant.monotonic >= seamDue, let now = engine.clock.now else { return }
    var next = Int64.max
    for seam in seams.values {
      guard let due = seam.due, let time = engine.clock.monotonic(of: due) else { continue }
      // The answer wakes whoever waits for the same source.
      if seam.source.isAsking { continue }
      let begin = max(time, seam.source.notBefore)
      if begin <= instant.monotonic, due <= now { ask(seam, now: now) } else { next = min(next, begin) }
    }
    seamDue = next
  }

  private func ask(_ seam: SymbolSeam, now: Milliseconds) {
    let source = seam.source
    let format = source.specification.format
    for index in seam.queues.indices {
      guard let asked = seam.queues[index].next(now: now, limit: format.candlesPerRequest) else { continue }
      let timeframe = seam.queues[index].timeframe
      guard
        let url = HistoryRequest.url(
          format, base: source.specification.url, symbol: seam.venueName, timeframe: timeframe, asked: asked)
      else {
        // The source has no candles of this length.
        _ = seam.queues[index].answered(known: [], now: now)
        continue
      }
      seam.running = index
      source.isAsking = true
      source.counters.requests += 1
      loop.get(
        url, authority: source.specification.certificateAuthority, timeout: Self.answerTimeout,
        maxBody: Self.longestAnswer
      ) { [self] result in
        instant = MachineClock.now()
        source.isAsking = false
        source.notBefore = instant.monotonic + source.specification.spacing * 1_000_000
        seamDue = 0
        answered(seam, index, asked, Self.rows(result, source, seam, timeframe, asked))
      }
      return
    }
  }

  private enum Answer {
    case rows(HistoryAnswer)
    case failure(reason: String, isRefusal: Bool, text: String)
  }

  private static func rows(
    _ result: Result<HTTPClientResponse, NetError>, _ source: HistorySource, _ seam: SymbolSeam,
    _ timeframe: Timeframe, _ asked: Range<Milliseconds>
  ) -> Answer {
    switch result {
    case .failure(let error):
      return .failure(reason: error.shortForm, isRefusal: false, text: "\(error.shortForm): \(error.detail)")
    case .success(let answer) where answer.status != 200:
      return .failure(
        reason: "status", isRefusal: answer.status == 429 || answer.status == 418, text: "status \(answer.status)")
    case .success(let answer):
      let parsed = answer.body.withUnsafeBytes {
        HistoryBody.parse(
          $0, format: source.specification.format, timeframe: timeframe, asked: asked, symbol: seam.venueName)
      }
      switch parsed {
      case .failure(let error): return .failure(reason: error.shortForm, isRefusal: false, text: error.description)
      case .success(let rows): return .rows(rows)
      }
    }
  }

  private func answered(_ seam: SymbolSeam, _ index: Int, _ asked: Range<Milliseconds>, _ answer: Answer) {
    let source = seam.source
    switch answer {
    case .failure(let reason, let isRefusal, let text):
      let pause = source.failed(isRefusal: isRefusal)
      source.notBefore = instant.monotonic + pause * 1_000_000
      source.counters.failures[reason, default: 0] += 1
      source.counters.lastError = text
      seam.queues[index].failed(now: engine.clock.now ?? 0, pause: 0)
      seam.running = nil
      log.warning(
        "a history source gave no candles",
        ["symbol": seam.name, "url": source.publicURL, "reason": text, "retry_ms": "\(pause)"])
    case .rows(let rows):
      source.succeeded()
      source.counters.lastError = nil
      for refusal in HistoryRefusal.Reason.allCases where rows.refused(refusal) > 0 {
        source.counters.refused[refusal, default: 0] += Int64(rows.refused(refusal))
      }
      if let first = rows.refusals.first {
        log.warning(
          "rows of a history source were refused",
          [
            "symbol": seam.name, "url": source.publicURL, "rows": "\(rows.refused)", "reason": first.reason.rawValue,
            "text": first.text,
          ])
      }
      let intervals = rows.intervals(
        asked, timeframe: seam.queues[index].timeframe, omitsEmpty: source.specification.omitsEmpty)
      if intervals.isEmpty { return finish(seam, index, known: []) }
      fill(seam, index, asked, intervals)
    }
  }

  private func fill(_ seam: SymbolSeam, _ index: Int, _ asked: Range<Milliseconds>, _ intervals: [FilledInterval]) {
    let rules = settings.engine.rules
    let timeframe = seam.queues[index].timeframe
    let name = seam.name
    let root = position(timeframe)
    let warmUp = engine.plan?.configuration.warmUp
    engine.beginFill(seam.symbol)
    store.read { store throws(StoreError) in
      try store.fillReading(name, rules: rules, root: root, asked: asked, warmUp: warmUp)
    } completion: { [self] result in
      loop.post { [self] in
        instant = MachineClock.now()
        switch result {
        case .success(let reading):
          let outcome = engine.fill(
            seam.symbol, timeframe, intervals, reading, learned: seam.queues[index].learned, at: instant)
          noteChanges(outcome, of: seam, upTo: asked.upperBound)
          finish(seam, index, known: outcome.known)
          if outcome.filled > 0 {
            log.info(
              "candles were filled from history",
              [
                "symbol": name, "timeframe": timeframe.name, "candles": "\(outcome.filled)",
                "from": "\(asked.lowerBound)",
                "to": "\(asked.upperBound)", "left": "\(seam.candles)",
              ])
          }
        case .failure(let error):
          engine.cancelFill(seam.symbol)
          seam.queues[index].failed(now: engine.clock.now ?? 0, pause: 5_000)
          seam.running = nil
          log.error("stored candles cannot be read for a fill", ["symbol": name, "error": "\(error)"])
        }
        seamDue = 0
      }
    }
  }

  private func finish(_ seam: SymbolSeam, _ index: Int, known: [Milliseconds]) {
    seam.running = nil
    for gap in seam.queues[index].answered(known: known, now: engine.clock.now ?? 0) {
      // With several timeframes that take ticks a gap is filled when the last of them is.
      let isFilled = !seam.queues.contains { $0.holds(gap) }
      if isFilled { engine.markFilled(gap) }
    }
  }
}

extension HistoryAnswer {
  /// What it says of the intervals asked for, oldest first.
  func intervals(_ asked: Range<Milliseconds>, timeframe: Timeframe, omitsEmpty: Bool) -> [FilledInterval] {
    // A refused row may be any of those that are missing.
    let leavesOutEmpty = omitsEmpty && refused == 0
    var intervals: [FilledInterval] = []
    var next = 0
    var openTime = asked.lowerBound
    while openTime < asked.upperBound {
      if next < rows.count, rows[next].openTime == openTime {
        // The source did not hear all of it either.
        if rows[next].complete { intervals.append(FilledInterval(openTime: openTime, content: rows[next].content)) }
        next += 1
      } else if leavesOutEmpty {
        intervals.append(FilledInterval(openTime: openTime, content: nil))
      }
      openTime += timeframe.interval
    }
    return intervals
  }
}
