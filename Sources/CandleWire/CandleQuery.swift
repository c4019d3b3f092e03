import CandleCore

/// A request for the candles of one series.
public struct CandleQuery: Sendable, Equatable {
  public static let defaultLimit = 500
  public static let maximumLimit = 10_000

  public var symbol: String
  public var timeframe: Timeframe
  /// Inclusive; nil: the newest `limit` before `to`.
  public var from: Milliseconds?
  /// Exclusive; nil: no end.
  public var to: Milliseconds?
  public var limit: Int
  public var indicators: Bool
  /// Whether the forming candle is added.
  public var forming: Bool
  public var format = CandleFormat.json

  /// - Parameter zone: knows the time zones that have a name.
  public static func parse(
    _ parameters: QueryParameters, timeframes: [Timeframe], zone: (String) -> ZoneRule? = { _ in nil }
  ) -> Result<CandleQuery, RequestError> {
    func flag(_ name: String, _ standard: Bool) throws(RequestError) -> Bool {
      switch parameters[name] {
      case nil: return standard
      case "0": return false
      case "1": return true
      case let text?: throw .badParameter("\(name): \(text) is neither 0 nor 1")
      }
    }
    do throws(RequestError) {
      guard let symbol = parameters["symbol"], !symbol.isEmpty else { throw .badParameter("symbol is missing") }
      let known = timeframes.map(\.name).joined(separator: " ")
      guard let name = parameters["timeframe"] else { throw .badParameter("timeframe is missing: one of \(known)") }
      guard let timeframe = Timeframe(name), timeframes.contains(timeframe) else {
        throw .badParameter("timeframe: \(name) is none of \(known)")
      }
      let limit = try parameters.limit(standard: defaultLimit, largest: maximumLimit)
      let format = try CandleFormat.parse(parameters, zone: zone)
      return .success(
        CandleQuery(
          symbol: symbol, timeframe: timeframe, from: try parameters.time("from"),
          to: try parameters.time("to"), limit: limit,
          indicators: try flag("indicators", true), forming: try flag("forming", false),
          format: format))
    } catch {
      return .failure(error)
    }
  }
}

/// A request that cannot be answered, as status and JSON body.
public struct RequestError: Error, Sendable, Equatable {
  public var status: Int
  public var code: String
  public var message: String

  public init(status: Int, code: String, message: String) {
    self.status = status
    self.code = code
    self.message = message
  }

  public static func badParameter(_ message: String) -> RequestError {
    RequestError(status: 400, code: "bad_parameter", message: message)
  }

  public static func tooManyTopics(_ maximum: Int) -> RequestError {
    RequestError(status: 400, code: "too_many_topics", message: "a connection has at most \(maximum) topics")
  }

  public static func unknownSymbol(_ symbol: String) -> RequestError {
    RequestError(status: 404, code: "unknown_symbol", message: "\(symbol) is not known here")
  }

  public static let notFound = RequestError(status: 404, code: "not_found", message: "nothing is at this path")
  public static let methodNotAllowed = RequestError(
    status: 405, code: "method_not_allowed", message: "only GET, HEAD and OPTIONS")

  public static let unauthorized = RequestError(
    status: 401, code: "unauthorized", message: "a token is asked for: Authorization: Bearer, or ?token=")

  public static let tooManyRequests = RequestError(
    status: 429, code: "too_many_requests", message: "this address asks more often than it may; see Retry-After")

  public static func unavailable(_ message: String) -> RequestError {
    RequestError(status: 503, code: "unavailable", message: message)
  }

  public var body: [UInt8] {
    let out = ByteWriter(capacity: 256)
    out.write("{\"error\":{\"code\":")
    out.writeJSON(string: code)
    out.write(",\"message\":")
    out.writeJSON(string: message)
    out.write("}}")
    return out.array
  }
}

extension QueryParameters {
  /// A Unix time in milliseconds; nil if it is not there.
  func time(_ name: String) throws(RequestError) -> Milliseconds? {
    guard let text = self[name] else { return nil }
    guard let value = Int64(text), value >= 0 else {
      throw .badParameter("\(name): \(text) is no Unix time in milliseconds")
    }
    return value
  }

  func limit(standard: Int, largest: Int) throws(RequestError) -> Int {
    guard let text = self["limit"] else { return standard }
    guard let value = Int(text), (1...largest).contains(value) else {
      throw .badParameter("limit: \(text) is no number from 1 to \(largest)")
    }
    return value
  }
}
