import CandleCore
import CandleIndicators

/// What the engine needs to know of the configuration.
public struct EngineConfiguration: Sendable {
  public var rules: SettlementRules
  public var clock: ServerClock.Source
  /// Least time between two forming messages of a series, in milliseconds; 0 = no limit.
  public var formingInterval: Milliseconds
  /// Bytes of settled candles that may wait for a failing disk before ticks are refused.
  public var pendingLimit: Int
  /// Most symbols; ticks of further ones are refused as `unknown_symbol`.
  public var symbolLimit: Int
  /// nil computes none.
  public var indicators: IndicatorConfiguration?

  public init(
    rules: SettlementRules = SettlementRules(), clock: ServerClock.Source = .system,
    formingInterval: Milliseconds = 100, pendingLimit: Int = 256 << 20, symbolLimit: Int = 100_000,
    indicators: IndicatorConfiguration? = nil
  ) {
    self.indicators = indicators
    self.rules = rules
    self.clock = clock
    self.formingInterval = formingInterval
    self.pendingLimit = pendingLimit
    self.symbolLimit = symbolLimit
    // With recorded data there is no clock to be ahead of.
    if clock == .feed { self.rules.maxAhead = nil }
  }
}

/// A source of ticks: a feed of the configuration or a producer's connection.
public struct SourceID: Hashable, Sendable {
  public let raw: UInt64
  public init(_ raw: UInt64) { self.raw = raw }
}
