import CandleCore

/// What a client of Binance's WebSocket asks for: `{"method":"SUBSCRIBE","params":["btcusdt@kline_1m"],"id":1}`.
public struct BinanceRequest: Sendable, Equatable {
  public enum Operation: Sendable, Equatable {
    case subscribe([Topic])
    case unsubscribe([Topic])
    case list
  }

  /// Repeated in the answer.
  public var id: JSONValue
  public var operation: Operation

  /// Why a request is refused. Codes: 2 invalid request, 3 invalid JSON.
  public struct Refusal: Error, Sendable, Equatable {
    public var id: JSONValue
    public var code: Int
    public var message: String

    public init(id: JSONValue, code: Int, message: String) {
      self.id = id
      self.code = code
      self.message = message
    }
  }

  /// - Parameter series: name of the series of a symbol.
  public static func parse(
    _ text: UnsafeRawBufferPointer, timeframes: [Timeframe], series: (String) -> String
  ) -> Result<BinanceRequest, Refusal> {
    guard let document = JSONValue(parsing: text), case .object = document else {
      return .failure(Refusal(id: .null, code: 3, message: "Invalid JSON: expected an object"))
    }
    let id: JSONValue
    switch document["id"] {
    case .number(let digits): id = .number(digits)
    case .string(let name): id = .string(name)
    default: id = .null
    }
    func refuse(_ message: String) -> Result<BinanceRequest, Refusal> {
      .failure(Refusal(id: id, code: 2, message: "Invalid request: \(message)"))
    }
    guard let method = document["method"]?.string else { return refuse("missing field `method`") }
    if method == "LIST_SUBSCRIPTIONS" { return .success(BinanceRequest(id: id, operation: .list)) }
    guard method == "SUBSCRIBE" || method == "UNSUBSCRIBE" else { return refuse("unknown variant `\(method)`") }
    guard let names = document["params"]?.array else { return refuse("missing field `params`") }
    var topics: [Topic] = []
    for name in names {
      guard let text = name.string, let stream = BinanceName.parse(stream: text) else {
        return refuse("stream \(name.string ?? "that is no text"): only <symbol>@kline_<interval> is known here")
      }
      guard timeframes.contains(stream.timeframe) else {
        return refuse("stream \(text): the interval is not configured")
      }
      let topic = Topic(kind: .candle, timeframe: stream.timeframe, symbol: series(stream.symbol))
      if !topics.contains(topic) { topics.append(topic) }
    }
    return .success(
      BinanceRequest(id: id, operation: method == "SUBSCRIBE" ? .subscribe(topics) : .unsubscribe(topics)))
  }

  /// The topics that the URL asks for: `/ws/a@kline_1m/b@kline_1m` or `/stream?streams=a@kline_1m/b@kline_1m`. What is no
  /// kline stream is passed over, since clients also connect to `/ws/0` and subscribe later.
  public static func topics(
    streams: some StringProtocol, timeframes: [Timeframe], series: (String) -> String
  ) -> [Topic] {
    var topics: [Topic] = []
    for name in streams.split(separator: "/") {
      guard let stream = BinanceName.parse(stream: name), timeframes.contains(stream.timeframe) else { continue }
      let topic = Topic(kind: .candle, timeframe: stream.timeframe, symbol: series(stream.symbol))
      if !topics.contains(topic) { topics.append(topic) }
    }
    return topics
  }
}

/// The answers to control messages.
public enum BinanceAnswer {
  /// `{"result":null,"id":1}`.
  public static func done(_ id: JSONValue) -> Frame {
    frame { out in
      out.write("{\"result\":null,\"id\":")
      id.write(to: out)
      out.write("}")
    }
  }

  /// `{"result":["btcusdt@kline_1m"],"id":3}`.
  public static func list(_ topics: [Topic], _ id: JSONValue) -> Frame {
    frame { out in
      out.write("{\"result\":[")
      var isFirst = true
      for topic in topics {
        guard let symbol = topic.symbol, let timeframe = topic.timeframe else { continue }
        if !isFirst { out.write(",") }
        isFirst = false
        out.writeJSON(string: BinanceName.stream(symbol, timeframe))
      }
      out.write("],\"id\":")
      id.write(to: out)
      out.write("}")
    }
  }

  /// `{"error":{"code":2,"msg":"…"},"id":1}`.
  public static func refused(_ refusal: BinanceRequest.Refusal) -> Frame {
    frame { out in
      out.write("{\"error\":{\"code\":")
      out.write(refusal.code)
      out.write(",\"msg\":")
      out.writeJSON(string: refusal.message)
      out.write("},\"id\":")
      refusal.id.write(to: out)
      out.write("}")
    }
  }

  private static func frame(_ body: (ByteWriter) -> Void) -> Frame {
    let out = ByteWriter(capacity: 128)
    body(out)
    return Frame(text: out.bytes)
  }
}
