import CandleCore

/// The numbers of one row, read from their digits and held against each other.
struct HistoryNumbers {
  private let fields: HistoryFields
  private var isNumber = true
  private var isPrecise = true

  private init(_ fields: HistoryFields) { self.fields = fields }

  /// - Returns: a row whose open time is not set yet, or why it is refused.
  static func read(_ fields: HistoryFields) -> Result<HistoryRow, HistoryRefusal.Reason> {
    var numbers = HistoryNumbers(fields)
    let row = HistoryRow(
      openTime: 0, open: numbers.price(.open), high: numbers.price(.high), low: numbers.price(.low),
      close: numbers.price(.close), volume: numbers.sum(.volume, maximumScale: 18) ?? .zero,
      turnover: numbers.turnover(), takerBuyVolume: numbers.sum(.takerBuyVolume, maximumScale: 18),
      ticks: numbers.ticks())
    if !numbers.isNumber { return .failure(.notANumber) }
    if !numbers.isPrecise { return .failure(.precision) }
    let inside = row.low...max(row.low, row.high)
    let isNegative =
      row.volume.coefficient < 0 || (row.takerBuyVolume?.coefficient ?? 0) < 0 || (row.ticks ?? 0) < 0
    guard row.low <= row.high, inside.contains(row.open), inside.contains(row.close), !isNegative else {
      return .failure(.badRange)
    }
    return .success(row)
  }

  private mutating func price(_ column: HistoryColumn) -> Fixed {
    switch DecimalScanner.scan(fields[column] ?? UnsafeRawBufferPointer(start: nil, count: 0)) {
    case .value(let value): return value
    case .malformed: isNumber = false
    case .precision: isPrecise = false
    }
    return .zero
  }

  /// nil where the row has none; an empty field is none.
  private mutating func sum(_ column: HistoryColumn, maximumScale: Int) -> FixedSum? {
    guard let text = fields[column], !text.isEmpty else { return nil }
    switch SumScanner.scan(text, maximumScale: maximumScale) {
    case .value(let value): return value
    case .malformed: isNumber = false
    case .precision: isPrecise = false
    }
    return nil
  }

  /// A row is not refused for a turnover with too many digits, as a tick is not: then it has none.
  private mutating func turnover() -> FixedSum? {
    guard let text = fields[.turnover], !text.isEmpty else { return nil }
    switch SumScanner.scan(text, maximumScale: 36) {
    case .value(let value): return value
    case .malformed: isNumber = false
    case .precision: break
    }
    return nil
  }

  /// A whole number, also one written `482.0`.
  private mutating func ticks() -> Int64? {
    guard let text = fields[.ticks], !text.isEmpty else { return nil }
    guard case .value(let value) = DecimalScanner.scan(text), let count = value.coefficient(atScale: 0) else {
      isNumber = false
      return nil
    }
    return count
  }
}
