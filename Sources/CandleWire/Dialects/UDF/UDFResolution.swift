import CandleCore

/// How TradingView's Universal Data Feed spells timeframes: minutes as a number, `1S`, `1D`, `1W`.
/// Source: TradingView's documentation of resolutions.
public enum UDFResolution {
  public static func name(_ timeframe: Timeframe) -> String {
    switch timeframe {
    case .D1: "1D"
    case .W1: "1W"
    case _ where timeframe < .M1: "\(timeframe.interval / 1_000)S"
    default: "\(timeframe.interval / 60_000)"
    }
  }

  /// - Returns: nil for what is none of the timeframes.
  public static func timeframe(_ name: String, of timeframes: [Timeframe]) -> Timeframe? {
    let wanted: String
    switch name {
    case "D", "1440": wanted = "1D"
    case "W": wanted = "1W"
    case "S": wanted = "1S"
    default: wanted = name
    }
    return timeframes.first { self.name($0) == wanted }
  }
}
