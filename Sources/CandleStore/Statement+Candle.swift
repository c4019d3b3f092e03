import CandleCore

/// Columns of the table `candle` in the order in which rows are written and read.
enum CandleColumns {
  static let list = """
    series, open_time, version, open, high, low, close, price_unit, volume, taker_buy_volume, volume_unit, turnover, \
    turnover_unit, ticks, revision, settled_by, origin, complete, born_late, indicators
    """

  static let insert = "INSERT OR REPLACE INTO candle (\(list)) VALUES (\(marks))"

  private static let marks = (1...20).map { "?\($0)" }.joined(separator: ", ")
}

extension Statement {
  /// Binds a settled candle in the order of `CandleColumns`, all but the indicators.
  func bind(series: Int64, candle: Candle, settlement: Settlement) {
    bind(1, series)
    bind(2, candle.openTime)
    bind(3, settlement.version)
    bind(4, prices: candle.content)
    bind(9, volumes: candle.content)
    bind(12, turnover: candle.content.turnover)
    bind(14, candle.content.ticks)
    bind(15, Int64(settlement.revision))
    bind(16, Int64(settlement.settledBy.rawValue))
    bind(17, Int64(candle.origin.rawValue))
    bind(18, candle.complete ? 1 : 0)
    bind(19, settlement.bornLate ? 1 : 0)
  }

  /// The candle of the current row, columns in the order of `CandleColumns`.
  /// - Throws: `damaged` where a column does not hold what this program writes.
  func candle() throws(StoreError) -> Candle {
    guard let priceScale = StoredDecimal.scale(unit: integer(7)) else { throw damaged("price_unit") }
    guard let volumeScale = StoredDecimal.scale(unit: integer(10)) else { throw damaged("volume_unit") }
    let content = CandleContent(
      open: try price(3, priceScale, "open"), high: try price(4, priceScale, "high"),
      low: try price(5, priceScale, "low"), close: try price(6, priceScale, "close"),
      volume: try sum(8, volumeScale, "volume"), turnover: try turnover(),
      takerBuyVolume: isNull(9) ? nil : try sum(9, volumeScale, "taker_buy_volume"), ticks: optionalInteger(13))
    guard let settledBy = SettledBy(rawValue: UInt8(truncatingIfNeeded: integer(15))) else {
      throw damaged("settled_by")
    }
    guard let origin = CandleOrigin(rawValue: UInt8(truncatingIfNeeded: integer(16))) else { throw damaged("origin") }
    return Candle(
      openTime: integer(1), content: content, origin: origin, complete: integer(17) != 0,
      settlement: Settlement(
        revision: Int32(truncatingIfNeeded: integer(14)), settledBy: settledBy, version: integer(2),
        bornLate: integer(18) != 0))
  }

  /// The JSON text of the indicators of the current row.
  func indicators() -> [UInt8]? { isNull(19) ? nil : Array(bytes(19)) }

  private func price(_ column: Int32, _ scale: UInt8, _ name: String) throws(StoreError) -> Fixed {
    if isInteger(column) { return Fixed(coefficient: integer(column), scale: scale) }
    guard let sum = StoredDecimal.sum(bytes(column)), sum.scale <= 18, let coefficient = Int64(exactly: sum.coefficient)
    else { throw damaged(name) }
    return Fixed(coefficient: coefficient, scale: UInt8(sum.scale))
  }

  private func sum(_ column: Int32, _ scale: UInt8, _ name: String) throws(StoreError) -> FixedSum {
    if isInteger(column) { return FixedSum(coefficient: Int128(integer(column)), scale: scale) }
    guard let sum = StoredDecimal.sum(bytes(column)) else { throw damaged(name) }
    return sum
  }

  private func turnover() throws(StoreError) -> FixedSum? {
    if isNull(11) { return nil }
    guard let scale = StoredDecimal.scale(unit: integer(12)) else { throw damaged("turnover_unit") }
    return try sum(11, scale, "turnover")
  }
}
