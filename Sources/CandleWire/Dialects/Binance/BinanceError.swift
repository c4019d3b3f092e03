/// An error as Binance's clients read it: HTTP 400 and `{"code":-1121,"msg":"Invalid symbol."}`.
/// Source: the error codes of Binance's spot API documentation.
public struct BinanceError: Error, Sendable, Equatable {
  public var code: Int
  public var message: String

  public static let invalidSymbol = BinanceError(code: -1121, message: "Invalid symbol.")
  public static let invalidInterval = BinanceError(code: -1120, message: "Invalid interval.")

  static func missing(_ parameter: String) -> BinanceError {
    BinanceError(
      code: -1102,
      message: "Mandatory parameter '\(parameter)' was not sent, was empty/null, or malformed.")
  }

  static func illegal(_ parameter: String, _ range: String) -> BinanceError {
    BinanceError(
      code: -1100, message: "Illegal characters found in parameter '\(parameter)'; legal range is '\(range)'.")
  }

  public var body: [UInt8] {
    let out = ByteWriter(capacity: 128)
    out.write("{\"code\":")
    out.write(code)
    out.write(",\"msg\":")
    out.writeJSON(string: message)
    out.write("}")
    return out.array
  }
}
