import CandleCore

/// A request for `/udf/history`.
public struct UDFQuery: Sendable, Equatable {
  /// The most bars of an answer: minutes of ten weeks. The client takes a range as whole, so it is large; what it leaves
  /// out is the oldest.
  public static let maximumBars = 100_000

  public var symbol: String
  public var timeframe: Timeframe
  /// Unix milliseconds, inclusive; means nothing with `countback`.
  public var from: Milliseconds
  /// Unix milliseconds, exclusive.
  public var to: Milliseconds
  /// So many bars before `to`.
  public var countback: Int?

  /// - Parameter series: name of the series of a symbol, nil if there is none.
  /// - Throws: the text for `errmsg`.
  public static func parse(
    _ parameters: QueryParameters, timeframes: [Timeframe], series: (String) -> String?
  ) throws(UDFError) -> UDFQuery {
    func seconds(_ name: String) throws(UDFError) -> Milliseconds? {
      guard let text = parameters[name], !text.isEmpty else { return nil }
      guard let value = Int64(text), value.magnitude < 1 << 50 else {
        throw UDFError(status: 400, message: "\(name): \(text) is no Unix time in seconds")
      }
      return value * 1_000
    }
    guard let symbol = parameters["symbol"], !symbol.isEmpty else {
      throw UDFError(status: 400, message: "symbol is missing")
    }
    guard let name = series(symbol) else { throw .unknownSymbol }
    let resolution = parameters["resolution"] ?? ""
    guard let timeframe = UDFResolution.timeframe(resolution, of: timeframes) else {
      let known = timeframes.map(UDFResolution.name).joined(separator: " ")
      throw UDFError(status: 400, message: "resolution: \(resolution) is none of \(known)")
    }
    var countback: Int?
    if let text = parameters["countback"], !text.isEmpty {
      guard let value = Int(text), value >= 0 else {
        throw UDFError(status: 400, message: "countback: \(text) is no number of bars")
      }
      // Zero asks for nothing; the range counts then.
      if value > 0 { countback = min(value, maximumBars) }
    }
    return UDFQuery(
      symbol: name, timeframe: timeframe, from: try seconds("from") ?? 0, to: try seconds("to") ?? (1 << 60),
      countback: countback)
  }
}

/// An answer with `"s":"error"`.
public struct UDFError: Error, Sendable, Equatable {
  public var status: Int
  public var message: String

  public static let unknownSymbol = UDFError(status: 404, message: "unknown_symbol")

  public var body: [UInt8] {
    let out = ByteWriter(capacity: 128)
    out.write("{\"s\":\"error\",\"errmsg\":")
    out.writeJSON(string: message)
    out.write("}")
    return out.array
  }
}
