import CandleCore

extension Command.Kind {
  /// What stands for a value in the help.
  var placeholder: String {
    switch self {
    case .flag: ""
    case .text: "TEXT"
    case .file: "FILE"
    case .listen: "HOST:PORT"
    case .streamURL: "URL"
    case .symbol: "SYMBOL"
    case .timeframe: "TIMEFRAME"
    case .timeframes: "LIST"
    case .choice(let names): names.joined(separator: "|")
    case .integer: "N"
    case .positive: "NUMBER"
    case .duration: "DURATION"
    case .time: "TIME"
    }
  }

  /// What a value has to be.
  var expected: String {
    switch self {
    case .flag: "no value"
    case .text: "a text"
    case .file: "the path of a file"
    case .listen: "an address like 127.0.0.1:8787 or [::1]:8787"
    case .streamURL: "an address like ws://127.0.0.1:8787/v1/stream"
    case .symbol: "1 to 64 letters, digits or ._:/- that begin with a letter or digit"
    case .timeframe: Spelling.alternatives(Timeframe.allCases.map(\.name))
    case .timeframes: "timeframes separated by commas, each once, like M1,M5,M15"
    case .choice(let names): Spelling.alternatives(names)
    case .integer(let range) where range.upperBound == .max: "an integer from \(range.lowerBound)"
    case .integer(let range): "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .positive: "a number above 0"
    case .duration: "something like 500ms, 1s, 5m or 2h"
    case .time: "Unix milliseconds, or a date like 2024-01-31 or 2024-01-31T12:00Z"
    }
  }

  func accepts(_ value: String) -> Bool {
    switch self {
    case .flag: false
    case .text, .file: !value.isEmpty
    case .listen: Addresses.listen(value) != nil
    case .streamURL: Addresses.isURL(value, schemes: ["ws", "wss"])
    case .symbol: Names.isSymbol(value)
    case .timeframe: Timeframe(value) != nil
    case .timeframes: Self.timeframes(value) != nil
    case .choice(let names): names.contains(value)
    case .integer(let range): ValueForm<Int>.parseInteger(value).map(range.contains) ?? false
    case .positive: Self.positive(value) != nil
    case .duration: DurationText.parse(value) != nil
    case .time: TimeText.parse(value) != nil
    }
  }

  static func timeframes(_ text: String) -> [Timeframe]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    let timeframes = names.compactMap { Timeframe($0) }
    return timeframes.count == names.count && Set(timeframes).count == names.count ? timeframes.sorted() : nil
  }

  static func positive(_ text: String) -> Double? {
    guard case .number = Node.plain(text), let value = Double(text), value > 0, value.isFinite else { return nil }
    return value
  }
}
