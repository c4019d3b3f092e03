import CandleCore

/// What the address of a stream asks for: `/v1/stream?format=lightweight&topic=candle.M1.BTCUSDT`.
public struct StreamParameters: Sendable, Equatable {
  public var format: CandleFormat
  /// Subscribed to at once; `topic` may come several times.
  public var topics: [Topic]
  /// Whether a chart also gets corrections of candles that are not its newest.
  public var corrections: Bool
  /// Candles to begin with.
  public var snapshot: Int?

  /// - Parameters:
  ///   - maximumSnapshot: the most candles that may be asked for.
  ///   - maximumTopics: the most topics of a connection.
  ///   - zone: knows the time zones that have a name.
  public static func parse(
    _ parameters: QueryParameters, timeframes: [Timeframe], maximumSnapshot: Int, maximumTopics: Int,
    isSymbol: (String) -> Bool, zone: (String) -> ZoneRule?
  ) throws(RequestError) -> StreamParameters {
    var format = try CandleFormat.parse(parameters, zone: zone)
    var topics: [Topic] = []
    for (name, value) in parameters.pairs where name == "topic" {
      guard let topic = Topic(value, timeframes: timeframes, isSymbol: isSymbol) else {
        throw .badParameter(
          "topic: \(value) is not candle.TF.SYMBOL or closed.TF.SYMBOL, TF of "
            + timeframes.map(\.name).joined(separator: " ") + " or *")
      }
      if !topics.contains(topic) { topics.append(topic) }
    }
    guard topics.count <= maximumTopics else {
      throw .tooManyTopics(maximumTopics)
    }
    func count(_ name: String, from least: Int) throws(RequestError) -> Int? {
      guard let text = parameters[name] else { return nil }
      guard let value = Int(text), value >= least, value <= maximumSnapshot else {
        throw .badParameter("\(name): \(text) is no number from \(least) to \(maximumSnapshot)")
      }
      return value
    }
    if let points = try count("limit", from: 1) { format.points = points }
    return StreamParameters(
      format: format, topics: topics, corrections: try corrections(parameters), snapshot: try count("snapshot", from: 0)
    )
  }

  /// `corrections=1`.
  public static func corrections(_ parameters: QueryParameters) throws(RequestError) -> Bool {
    switch parameters["corrections"] {
    case nil, "0": return false
    case "1": return true
    case let other?: throw .badParameter("corrections: \(other) is neither 0 nor 1")
    }
  }
}
