import CandleCore

/// A request for gaps.
public struct GapQuery: Sendable, Equatable {
  public static let defaultLimit = 1_000
  public static let maximumLimit = 10_000

  /// nil: the newest gaps of all symbols.
  public var symbol: String?
  /// Beginning of the first gap, inclusive; nil: the newest `limit` before `to`.
  public var from: Milliseconds?
  /// Exclusive; nil: no end.
  public var to: Milliseconds?
  public var limit = Self.defaultLimit

  public static func parse(_ parameters: QueryParameters) throws(RequestError) -> GapQuery {
    var query = GapQuery()
    query.symbol = parameters["symbol"]
    query.from = try parameters.time("from")
    query.to = try parameters.time("to")
    if query.symbol == nil, query.from != nil || query.to != nil {
      throw .badParameter("from and to are for the gaps of one symbol: symbol is missing")
    }
    query.limit = try parameters.limit(standard: defaultLimit, largest: maximumLimit)
    return query
  }
}
