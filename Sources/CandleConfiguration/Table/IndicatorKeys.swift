extension Configuration.Indicators {
  static var section: Section<Self> {
    Section(
      defaults: Self(),
      keys: [
        Key("convention", \.convention, .choice(), "Whose formulas, a preset of the knobs below"),
        Key(
          "ema_seed", \.emaSeed, .optional(.choice()),
          "First value of an EMA: the first price, or the mean of the first period"),
        Key("macd_multiplier", \.macdMultiplier, .optional(.integer(1...2)), "What MACD's histogram is multiplied by"),
        Key("boll_ddof", \.bollDdof, .optional(.integer(0...1)), "BOLL's variance is divided by the period less this"),
        Key("kdj_seed", \.kdjSeed, .optional(.choice()), "What K and D start from"),
        Key("rsi_seed", \.rsiSeed, .optional(.choice()), "What RSI starts from"),
        Key("flat", \.flat, flatForm, "What an oscillator is without movement: its middle, 0, or nothing"),
        Key("store", \.store, .boolean, "Whether candles are stored with their values"),
        Key("ma", \.ma, .periods, "Periods of moving averages of the close"),
        Key("ema", \.ema, .periods, "Periods of exponential averages of the close"),
        Key("mavol", \.mavol, .periods, "Periods of moving averages of the volume"),
        Key("boll", \.boll, bollForm, "Period and width of the Bollinger bands; [] = off"),
        Key("macd", \.macd, macdForm, "Fast, slow and signal period; [] = off"),
        Key("kdj", \.kdj, kdjForm, "Window, smoothing of K and of D; [] = off"),
        Key("rsi", \.rsi, .periods, "Periods of RSI"),
        Key("wr", \.wr, .periods, "Periods of Williams %R"),
      ])
  }

  /// Here `null` is one of the values, not the absence of one.
  private static var flatForm: ValueForm<FlatValue?> {
    ValueForm.choice().map({ $0 }, from: { $0 ?? .neutral }).writing { $0.map { YAMLText.quotedIfNeeded($0.rawValue) } }
  }

  private static var bollForm: ValueForm<Boll?> {
    let width = ValueForm<Double>.positive(upTo: 100)
    return ValueForm(
      type: "[period from 2 to \(longestPeriod), width]",
      read: { node, path, report in
        guard let items = items(node, path, 2, "a period and a width, as in [20, 2]", report) else { return nil }
        if items.isEmpty { return .some(nil) }
        let period = ValueForm<Int>.integer(2...longestPeriod).read(items[0], "\(path)[0]", report)
        guard let multiplier = width.read(items[1], "\(path)[1]", report), let period else { return nil }
        return Boll(period: period, multiplier: multiplier)
      },
      write: { boll in boll.map { "[\($0.period), \(width.write($0.multiplier) ?? "")]" } ?? "[]" })
  }

  private static var macdForm: ValueForm<MACD?> {
    ValueForm(
      type: "[fast, slow, signal]",
      read: { node, path, report in
        guard let items = items(node, path, 3, "three periods, as in [12, 26, 9]", report) else { return nil }
        guard let periods = periods(items, path, report) else { return nil }
        if periods.isEmpty { return .some(nil) }
        if periods[0] >= periods[1] {
          report.add(items[1], "\(path)[1]", "is out of range", expected: "more than the fast period \(periods[0])")
          return nil
        }
        return MACD(fast: periods[0], slow: periods[1], signal: periods[2])
      },
      write: { macd in macd.map { "[\($0.fast), \($0.slow), \($0.signal)]" } ?? "[]" })
  }

  private static var kdjForm: ValueForm<KDJ?> {
    ValueForm(
      type: "[window, k, d]",
      read: { node, path, report in
        guard let items = items(node, path, 3, "three periods, as in [9, 3, 3]", report) else { return nil }
        guard let periods = periods(items, path, report) else { return nil }
        return periods.isEmpty ? .some(nil) : KDJ(period: periods[0], k: periods[1], d: periods[2])
      },
      write: { kdj in kdj.map { "[\($0.period), \($0.k), \($0.d)]" } ?? "[]" })
  }

  /// - Returns: none if the indicator is off, else exactly `count`; nil if it was reported that it is neither.
  private static func items(_ node: Node, _ path: String, _ count: Int, _ expected: String, _ report: Report) -> [Node]?
  {
    if node.isNull, !node.isEmpty { return [] }
    guard case .list(let items) = node.content else {
      report.add(node, path, "is no list", expected: expected)
      return nil
    }
    guard items.isEmpty || items.count == count else {
      report.add(at: node.position, path, "has \(items.count) entries", expected: expected)
      return nil
    }
    return items
  }

  private static func periods(_ items: [Node], _ path: String, _ report: Report) -> [Int]? {
    let values = items.enumerated().map { index, item in
      ValueForm<Int>.integer(1...longestPeriod).read(item, "\(path)[\(index)]", report)
    }
    return values.contains(nil) ? nil : values.compactMap { $0 }
  }
}

extension ValueForm where Value == [Int] {
  fileprivate static var periods: ValueForm {
    .list(
      "a list of periods from 1 to \(Configuration.Indicators.longestPeriod)",
      of: .integer(1...Configuration.Indicators.longestPeriod), count: 0...64, identity: { "\($0)" })
  }
}

extension ValueForm {
  /// The same form, written otherwise.
  fileprivate func writing(_ write: @escaping (Value) -> String?) -> ValueForm {
    var copy = self
    copy.write = write
    return copy
  }
}
