import CandleCore

/// The form in which somebody wants candles: the protocol's own, or what a chart takes as it is.
public struct CandleFormat: Hashable, Sendable {
  /// `format=` of HTTP and stream; the last two belong to paths of their own.
  public enum Kind: String, Sendable, CaseIterable {
    case json, lightweight, line, klineview, klinecharts, zxkline, rhlineplot, csv
    /// Binance's kline event, bare or wrapped with the name of its stream.
    case binance, binanceCombined

    /// Whether it can be asked for by `format=`.
    var hasName: Bool { self != .binance && self != .binanceCombined }
  }

  public var kind: Kind
  /// Of `dateString`; only `klineview`.
  public var zone = ZoneRule.utc
  /// Whether titles are `5` instead of `MA5`; only `klineview`.
  public var titlesArePeriods = false
  /// What cuts the line into segments; only `rhlineplot`.
  public var segment = Timeframe.D1
  /// The most values of a message of the stream; only `rhlineplot`.
  public var points = CandleQuery.defaultLimit

  public init(_ kind: Kind) { self.kind = kind }

  public static let json = CandleFormat(.json)

  /// Whether values of indicators are part of it.
  public var hasIndicators: Bool { kind == .json || kind == .klineview || kind == .klinecharts }

  /// Whether the reader is a chart that knows only its newest candle: an older one comes with `corrections=1` only.
  public var isChart: Bool {
    switch kind {
    case .lightweight, .line, .klineview, .klinecharts: true
    case .json, .zxkline, .rhlineplot, .csv, .binance, .binanceCombined: false
    }
  }

  public var contentType: String { kind == .csv ? "text/csv; charset=utf-8" : "application/json" }

  /// `format`, `tz`, `titles`, `segment`.
  /// - Parameter zone: knows the zones that have a name.
  public static func parse(
    _ parameters: QueryParameters, zone: (String) -> ZoneRule?
  ) throws(RequestError) -> CandleFormat {
    var format = CandleFormat.json
    if let name = parameters["format"] {
      // Arincen's chart takes what lightweight-charts takes.
      guard let kind = Kind(rawValue: name == "arincen" ? "lightweight" : name), kind.hasName else {
        let known = Kind.allCases.filter(\.hasName).map(\.rawValue).joined(separator: " ")
        throw .badParameter("format: \(name) is none of \(known)")
      }
      format.kind = kind
    }
    if let name = parameters["tz"] {
      guard let rule = ZoneRule(fixed: name) ?? zone(name) else {
        throw .badParameter("tz: \(name) is no time zone like UTC, +08:00 or Asia/Shanghai")
      }
      format.zone = rule
    }
    switch parameters["titles"] {
    case nil, "name": break
    case "period": format.titlesArePeriods = true
    case let other?: throw .badParameter("titles: \(other) is neither name nor period")
    }
    switch parameters["segment"] {
    case nil, "D1": break
    case "H1": format.segment = .H1
    case let other?: throw .badParameter("segment: \(other) is neither H1 nor D1")
    }
    return format
  }
}
