/// Finds a series by its name without separators and in any case: `btcusdt` is `BTC/USDT`.
public struct SymbolDirectory: Sendable {
  private var names: [String: String] = [:]
  /// Names that were added.
  public private(set) var count = 0

  public init() {}

  /// Of two that read the same, the one that is written so wins, else the first.
  public mutating func add(_ name: String) {
    count += 1
    let short = BinanceName.symbol(name)
    if names[short] == nil || short == name { names[short] = name }
  }

  public func series(of symbol: String) -> String? { names[BinanceName.symbol(symbol)] }

  /// Whether the short name leads to this series and no other.
  public func leads(to name: String) -> Bool { names[BinanceName.symbol(name)] == name }
}

/// What a symbol is traded in.
public struct SymbolAssets: Sendable, Hashable {
  public var base: String
  public var quote: String

  public init(base: String, quote: String) {
    self.base = base
    self.quote = quote
  }

  /// Quotes that end a name without separator; of several the longest.
  private static let quotes = [
    "FDUSD", "USDT", "USDC", "BUSD", "TUSD", "USDP", "USDS", "DAI", "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD",
    "TRY", "BRL", "KRW", "CNY", "RUB", "UAH", "ZAR", "IDR", "MXN", "PLN", "ARS", "NGN", "BTC", "XBT", "ETH", "BNB",
    "TRX", "XRP", "SOL", "DOGE",
  ].sorted { $0.utf8.count > $1.utf8.count }

  /// Splits a name at its separator, else at a known quote; a name with neither is all base.
  public init(splitting name: String) {
    let parts = name.split(whereSeparator: { "/-_:".contains($0) })
    if parts.count >= 2 {
      self.init(base: parts[0].uppercased(), quote: parts[1].uppercased())
      return
    }
    let whole = BinanceName.symbol(name)
    let quote = Self.quotes.first { whole.hasSuffix($0) && whole.utf8.count > $0.utf8.count } ?? ""
    self.init(base: String(whole.dropLast(quote.utf8.count)), quote: quote)
  }
}
