import CandleCore

/// The most decimals that a symbol's prices and volumes were seen with.
public struct SymbolDigits: Sendable, Equatable {
  public var price: UInt8
  public var volume: UInt8

  public init(price: UInt8 = 0, volume: UInt8 = 0) {
    self.price = price
    self.volume = volume
  }

  public mutating func note(_ content: CandleContent) {
    for number in [content.open, content.high, content.low, content.close] {
      if number.scale > price { price = max(price, number.normalized.scale) }
    }
    if content.volume.scale > volume { volume = max(volume, min(content.volume.normalized.scale, 18)) }
  }
}

/// `/api/v3/exchangeInfo`: the symbols in the way clients read them. Source: Binance's spot API documentation.
public enum BinanceExchangeInfo {
  public struct Symbol: Sendable {
    public var name: String
    public var assets: SymbolAssets
    public var digits: SymbolDigits

    public init(name: String, assets: SymbolAssets, digits: SymbolDigits) {
      self.name = name
      self.assets = assets
      self.digits = digits
    }
  }

  public static func encode(_ symbols: [Symbol], time: Milliseconds) -> [UInt8] {
    let out = ByteWriter(capacity: 1_024 + symbols.count * 640)
    out.write("{\"timezone\":\"UTC\",\"serverTime\":")
    out.write(time)
    out.write(",\"rateLimits\":[],\"exchangeFilters\":[],\"symbols\":[")
    for (index, symbol) in symbols.enumerated() {
      if index > 0 { out.write(",") }
      write(symbol, to: out)
    }
    out.write("]}")
    return out.array
  }

  private static func write(_ symbol: Symbol, to out: ByteWriter) {
    out.write("{\"symbol\":\"")
    BinanceName.writeSymbol(symbol.name, to: out)
    out.write("\",\"status\":\"TRADING\",\"baseAsset\":")
    out.writeJSON(string: symbol.assets.base)
    out.write(",\"baseAssetPrecision\":")
    out.write(Int(symbol.digits.volume))
    out.write(",\"quoteAsset\":")
    out.writeJSON(string: symbol.assets.quote)
    out.write(",\"quotePrecision\":")
    out.write(Int(symbol.digits.price))
    out.write(",\"quoteAssetPrecision\":")
    out.write(Int(symbol.digits.price))
    out.write(",\"orderTypes\":[],\"icebergAllowed\":false,\"ocoAllowed\":false,\"isSpotTradingAllowed\":true")
    out.write(",\"isMarginTradingAllowed\":false,\"permissions\":[\"SPOT\"],\"filters\":[")
    let tick = Fixed(coefficient: 1, scale: symbol.digits.price)
    out.write("{\"filterType\":\"PRICE_FILTER\",\"minPrice\":\"")
    out.write(tick)
    out.write("\",\"maxPrice\":\"1000000000\",\"tickSize\":\"")
    out.write(tick)
    let step = Fixed(coefficient: 1, scale: symbol.digits.volume)
    out.write("\"},{\"filterType\":\"LOT_SIZE\",\"minQty\":\"")
    out.write(step)
    out.write("\",\"maxQty\":\"1000000000\",\"stepSize\":\"")
    out.write(step)
    out.write("\"}]}")
  }
}
