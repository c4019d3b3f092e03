import CandleCore

/// Builds the messages of `/v1/stream`, each once, whoever gets it.
public final class StreamEncoder {
  public enum MessageType: Sendable {
    case forming, closed, corrected
  }

  private let keys: IndicatorKeys
  private let out = ByteWriter(capacity: 8_192)

  public init(keys: IndicatorKeys) { self.keys = keys }

  private func frame() -> Frame {
    defer { out.clear() }
    return Frame(text: out.bytes)
  }

  public func candle(
    _ type: MessageType, _ kind: Topic.Kind, _ candle: Candle, symbol: String, timeframe: Timeframe,
    values: UnsafeBufferPointer<Double>?
  ) -> Frame {
    switch type {
    case .forming: out.write("{\"type\":\"forming\"")
    case .closed: out.write("{\"type\":\"closed\"")
    case .corrected: out.write("{\"type\":\"corrected\"")
    }
    writeTopic(kind, symbol, timeframe)
    out.write(",\"candle\":")
    write(candle, symbol, timeframe, values)
    out.write("}")
    return frame()
  }

  public func candle(
    _ type: MessageType, _ kind: Topic.Kind, _ candle: Candle, symbol: String, timeframe: Timeframe, values: [Double]?
  ) -> Frame {
    guard let values else {
      return self.candle(
        type, kind, candle, symbol: symbol, timeframe: timeframe, values: UnsafeBufferPointer<Double>?.none)
    }
    return values.withUnsafeBufferPointer {
      self.candle(type, kind, candle, symbol: symbol, timeframe: timeframe, values: $0)
    }
  }

  public func snapshot(
    _ kind: Topic.Kind, symbol: String, timeframe: Timeframe, candles: [(candle: Candle, values: [Double]?)]
  ) -> Frame {
    out.write("{\"type\":\"snapshot\"")
    writeTopic(kind, symbol, timeframe)
    out.write(",\"candles\":[")
    for (index, one) in candles.enumerated() {
      if index > 0 { out.write(",") }
      if let values = one.values {
        values.withUnsafeBufferPointer { write(one.candle, symbol, timeframe, $0) }
      } else {
        write(one.candle, symbol, timeframe, nil)
      }
    }
    out.write("]}")
    return frame()
  }

  /// Where no values are computed the object of indicators is empty.
  private func write(
    _ candle: Candle, _ symbol: String, _ timeframe: Timeframe, _ values: UnsafeBufferPointer<Double>?
  ) {
    CandleJSON.write(
      candle, symbol: symbol, timeframe: timeframe, keys: keys,
      values: values ?? UnsafeBufferPointer(start: nil, count: 0), to: out)
  }

  private func writeTopic(_ kind: Topic.Kind, _ symbol: String, _ timeframe: Timeframe) {
    out.write(",\"topic\":\"")
    out.write(kind.name)
    out.write(".")
    out.write(timeframe.name)
    out.write(".")
    out.write(symbol)
    out.write("\"")
  }

  /// The indicators of a series changed from a candle on.
  public func reload(
    _ kind: Topic.Kind, symbol: String, timeframe: Timeframe, from: Milliseconds, version: Int64
  ) -> Frame {
    out.write("{\"type\":\"reload\"")
    writeTopic(kind, symbol, timeframe)
    out.write(",\"from\":")
    out.write(from)
    out.write(",\"version\":")
    out.write(version)
    out.write("}")
    return frame()
  }

  public func gap(_ gap: Gap, symbol: String) -> Frame {
    out.write("{\"type\":\"gap\",\"symbol\":\"")
    out.write(symbol)
    out.write("\",\"from\":")
    out.write(gap.from)
    out.write(",\"to\":")
    if let to = gap.to { out.write(to) } else { out.write("null") }
    out.write(",\"reason\":\"")
    out.write(gap.reason.rawValue)
    out.write(gap.filled ? "\",\"filled\":true,\"version\":" : "\",\"filled\":false,\"version\":")
    out.write(gap.version)
    out.write("}")
    return frame()
  }

  /// - Parameter droppedVersion: said where a replay begins below it and is therefore not whole.
  public func subscribed(
    id: JSONValue?, topics: [Topic], epoch: String, version: Int64, convention: String, droppedVersion: Int64? = nil
  ) -> Frame {
    answer("subscribed", id)
    write(topics)
    out.write(",\"epoch\":")
    out.writeJSON(string: epoch)
    out.write(",\"version\":")
    out.write(version)
    out.write(",\"convention\":")
    out.writeJSON(string: convention)
    if let droppedVersion {
      out.write(",\"dropped_version\":")
      out.write(droppedVersion)
    }
    out.write("}")
    return frame()
  }

  public func unsubscribed(id: JSONValue?, topics: [Topic]) -> Frame {
    answer("unsubscribed", id)
    write(topics)
    out.write("}")
    return frame()
  }

  /// - Parameter time: server time; nil before the clock's first reading.
  public func pong(id: JSONValue?, time: Milliseconds?) -> Frame {
    answer("pong", id)
    out.write(",\"time\":")
    if let time { out.write(time) } else { out.write("null") }
    out.write("}")
    return frame()
  }

  public func error(id: JSONValue?, code: String, message: String) -> Frame {
    answer("error", id)
    out.write(",\"code\":")
    out.writeJSON(string: code)
    out.write(",\"message\":")
    out.writeJSON(string: message)
    out.write("}")
    return frame()
  }

  private func answer(_ type: StaticString, _ id: JSONValue?) {
    out.write("{\"type\":\"")
    out.write(type)
    out.write("\"")
    if let id {
      out.write(",\"id\":")
      id.write(to: out)
    }
  }

  private func write(_ topics: [Topic]) {
    out.write(",\"topics\":[")
    for (index, topic) in topics.enumerated() {
      if index > 0 { out.write(",") }
      out.writeJSON(string: topic.name)
    }
    out.write("]")
  }
}
