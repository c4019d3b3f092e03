import CandleCore

/// What a subscriber asks for on `/v1/stream`.
public struct StreamRequest: Sendable, Equatable {
  public enum Operation: Sendable, Equatable {
    case subscribe(topics: [Topic], start: Start)
    case unsubscribe(topics: [Topic])
    case ping
  }

  /// Where a subscription begins.
  public enum Start: Sendable, Equatable {
    case now
    /// With the last closed candles of each topic.
    case snapshot(Int)
    /// With everything of the topics above a version.
    case since(epoch: String, version: Int64)
  }

  /// Repeated in the answer; nil if the request has none.
  public var id: JSONValue?
  public var operation: Operation

  /// Why a request is refused, with the code of the error message.
  public struct Refusal: Error, Sendable, Equatable {
    public var id: JSONValue?
    public var code: String
    public var message: String
    /// Candles of a snapshot that is longer than the limit allows; nil where that is not the reason.
    public var excess: Int64?

    public init(id: JSONValue?, code: String, message: String, excess: Int64? = nil) {
      self.id = id
      self.code = code
      self.message = message
      self.excess = excess
    }
  }

  /// - Parameters:
  ///   - maximumSnapshot: the most candles a snapshot may ask for.
  public static func parse(
    _ text: UnsafeRawBufferPointer, timeframes: [Timeframe], maximumSnapshot: Int, isSymbol: (String) -> Bool
  ) -> Result<StreamRequest, Refusal> {
    guard let document = JSONValue(parsing: text), case .object(let members) = document else {
      return .failure(Refusal(id: nil, code: "bad_request", message: "not a JSON object"))
    }
    var id = document["id"]
    switch id {
    case .array, .object: id = nil
    default: break
    }
    func refuse(_ code: String, _ message: String) -> Result<StreamRequest, Refusal> {
      .failure(Refusal(id: id, code: code, message: message))
    }
    guard let op = document["op"]?.string else {
      return refuse("bad_request", "op is missing; expected subscribe, unsubscribe or ping")
    }
    if op == "ping" { return .success(StreamRequest(id: id, operation: .ping)) }
    guard op == "subscribe" || op == "unsubscribe" else {
      return refuse("bad_request", "unknown op \(op); expected subscribe, unsubscribe or ping")
    }
    guard let names = document["topics"]?.array, !names.isEmpty else {
      return refuse("bad_request", "topics is missing or empty; expected a list like [\"candle.M1.BTCUSDT\"]")
    }
    var topics: [Topic] = []
    for name in names {
      guard let text = name.string, let topic = Topic(text, timeframes: timeframes, isSymbol: isSymbol) else {
        let out = ByteWriter(capacity: 64)
        name.write(to: out)
        return refuse(
          "bad_topic",
          "\(name.string ?? out.string): expected candle.TF.SYMBOL or closed.TF.SYMBOL, TF of "
            + timeframes.map(\.name).joined(separator: " ") + " or *")
      }
      if !topics.contains(topic) { topics.append(topic) }
    }
    if op == "unsubscribe" { return .success(StreamRequest(id: id, operation: .unsubscribe(topics: topics))) }
    let snapshot = members.last { $0.key == "snapshot" }?.value
    let since = members.last { $0.key == "since" }?.value
    switch (snapshot, since) {
    case (nil, nil), (.null, nil), (nil, .null):
      return .success(StreamRequest(id: id, operation: .subscribe(topics: topics, start: .now)))
    case (let snapshot?, nil), (let snapshot?, .null):
      guard let count = snapshot.integer, count >= 0, count <= Int64(maximumSnapshot) else {
        return .failure(
          Refusal(
            id: id, code: "bad_request", message: "snapshot is no number from 0 to \(maximumSnapshot)",
            excess: snapshot.integer.flatMap { $0 > Int64(maximumSnapshot) ? $0 : nil }))
      }
      return .success(StreamRequest(id: id, operation: .subscribe(topics: topics, start: .snapshot(Int(count)))))
    case (nil, let since?), (.null, let since?):
      guard let epoch = since["epoch"]?.string, let version = since["version"]?.integer, version >= 0 else {
        return refuse("bad_request", "since is no {\"epoch\":text,\"version\":number}")
      }
      return .success(
        StreamRequest(id: id, operation: .subscribe(topics: topics, start: .since(epoch: epoch, version: version))))
    default:
      return refuse("bad_request", "snapshot and since exclude each other")
    }
  }
}
