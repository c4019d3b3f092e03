/// Where a JSON message holds a trade: keys of objects and positions in arrays, as the configuration names them.
public struct JSONTradePaths: Sendable, Equatable {
  /// The array of trades, from the top of the message; nil = the message is a trade, or an array of them.
  public var trades: [String]?
  /// nil = the only symbol there is.
  public var symbol: [String]?
  public var time: [String]
  public var price: [String]
  public var volume: [String]?
  public var id: [String]?
  public var side: [String]?
  /// The value of `side` that says that the taker bought; any other says that he sold.
  public var buy = "buy"

  public init(time: [String], price: [String]) {
    self.time = time
    self.price = price
  }
}
