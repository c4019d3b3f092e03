import CandleCore

/// An exchange whose dialect is known; the raw value is its name in the configuration.
///
/// What each of them sends, and where that is known from, is in `docs/venues/`.
public enum Venue: String, Sendable, CaseIterable {
  case binance
  case binanceUS = "binance_us"
  case binanceUSDM = "binance_usdm"
  case binanceCOINM = "binance_coinm"
  case bybit, okx, kraken, coinbase, bitstamp, hitbtc

  /// Whose trade ids these are, as the engine and the journal know it. Never changed: journals hold it.
  ///
  /// 0 and 1 are the producers and the csv feeds.
  public var number: UInt32 {
    switch self {
    case .binance: 2
    case .binanceUS: 3
    case .binanceUSDM: 4
    case .binanceCOINM: 5
    case .bybit: 6
    case .okx: 7
    case .kraken: 8
    case .coinbase: 9
    case .bitstamp: 10
    case .hitbtc: 11
    }
  }

  /// The address that is dialled where the configuration names none.
  public var url: String {
    switch self {
    case .binance, .binanceUS, .binanceUSDM, .binanceCOINM: Binance.url(self)
    case .bybit: Bybit.url
    case .okx: OKX.url
    case .kraken: Kraken.url
    case .coinbase: Coinbase.url
    case .bitstamp: Bitstamp.url
    case .hitbtc: HitBTC.url
    }
  }

  /// Whether trade ids have no holes, so that a hole is a loss.
  public var hasContiguousIDs: Bool {
    switch self {
    case .binance, .binanceUS, .coinbase, .kraken: true
    default: false
    }
  }

  /// The most symbols that one connection is given.
  public var symbolsPerConnection: Int {
    switch self {
    case .binance, .binanceUS, .binanceUSDM, .binanceCOINM: Binance.symbolsPerConnection
    case .bybit: Bybit.symbolsPerConnection
    case .okx: OKX.symbolsPerConnection
    case .kraken: Kraken.symbolsPerConnection
    case .coinbase: Coinbase.symbolsPerConnection
    case .bitstamp: Bitstamp.symbolsPerConnection
    case .hitbtc: HitBTC.symbolsPerConnection
    }
  }

  /// What is sent after connecting, or when the symbols of a feed change.
  /// - Parameters:
  ///   - symbols: in the venue's spelling, at most `symbolsPerConnection`.
  ///   - url: what was dialled: it may say which of a venue's dialects is spoken there.
  public func subscriptions(
    _ symbols: [String], url: String, _ plan: VenueSubscription.Plan = .init()
  ) -> [VenueSubscription] {
    switch self {
    case .binance, .binanceUS, .binanceUSDM, .binanceCOINM: Binance.subscriptions(symbols, plan)
    case .bybit: Bybit.subscriptions(symbols, plan)
    case .okx: OKX.subscriptions(symbols, plan)
    case .kraken: Kraken.subscriptions(symbols, plan)
    case .coinbase: Coinbase.subscriptions(symbols, plan)
    case .bitstamp: Bitstamp.subscriptions(symbols, plan)
    case .hitbtc: HitBTC.subscriptions(symbols, url: url, plan)
    }
  }

  /// What is sent again and again, so that the venue does not cut the connection and a quiet market is told from a dead
  /// socket; nil where the venue sends something by itself.
  public func duty(url: String) -> VenueDuty? {
    switch self {
    case .binance, .binanceUS, .binanceUSDM, .binanceCOINM: Binance.duty
    case .bybit: Bybit.duty
    case .okx: OKX.duty
    case .kraken, .coinbase: nil
    case .bitstamp: Bitstamp.duty
    case .hitbtc: HitBTC.duty(url: url)
    }
  }

  /// Where its own candles of the past are.
  /// - Parameter url: what is dialled. nil is returned where it is not the venue's own host: whoever names a mirror has
  ///   not asked for the venue itself.
  public func history(url: String) -> VenueHistory? {
    guard Self.host(url) == Self.host(self.url) else { return nil }
    return switch self {
    case .binance, .binanceUS, .binanceUSDM, .binanceCOINM: Binance.history(self)
    case .bybit: Bybit.history(url: url)
    case .okx: OKX.history
    case .kraken: Kraken.history
    case .coinbase: Coinbase.history
    case .bitstamp: Bitstamp.history
    case .hitbtc: HitBTC.history
    }
  }

  /// Between `://` and the port or path, without user information.
  public static func host(_ url: String) -> String {
    let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return "" }
    let authority = parts[2].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let place = authority.split(separator: "@").last ?? ""
    if place.hasPrefix("[") { return place.prefix { $0 != "]" }.lowercased() }
    return place.prefix { $0 != ":" }.lowercased()
  }

  /// How messages spell a symbol that the configuration spells so.
  public func spelling(_ symbol: String) -> String {
    self == .bitstamp ? symbol.lowercased() : symbol.uppercased()
  }
}
