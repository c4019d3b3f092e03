import CandleCore
import Synchronization

/// Which series a replay is about. It remembers its answers, so keep one for all pages of a replay, and use it with one
/// database only.
public final class SeriesSelection: Sendable {
  private let series: @Sendable (String, Timeframe) -> Bool
  private let gaps: @Sendable (String) -> Bool
  /// By the row id of the series: 0 not asked yet, 1 wanted, 2 not.
  private let answers = Mutex<[UInt8]>([])

  /// - Parameters:
  ///   - series: whether the candles of a symbol and timeframe are wanted; asked once a series.
  ///   - gaps: whether the gaps of a symbol are wanted.
  public init(
    series: @escaping @Sendable (String, Timeframe) -> Bool, gaps: @escaping @Sendable (String) -> Bool
  ) {
    self.series = series
    self.gaps = gaps
  }

  func wantsGaps(_ symbol: String) -> Bool { gaps(symbol) }

  /// - Parameter name: finds symbol and timeframe of a series that has not been asked for yet.
  func wants(
    _ id: Int64, _ name: (Int64) throws(StoreError) -> (symbol: String, timeframe: Timeframe)
  ) throws(StoreError) -> Bool {
    let index = Int(id)
    let known = answers.withLock { index < $0.count ? $0[index] : 0 }
    if known != 0 { return known == 1 }
    let (symbol, timeframe) = try name(id)
    let wanted = series(symbol, timeframe)
    answers.withLock { answers in
      if answers.count <= index { answers.append(contentsOf: repeatElement(0, count: index + 1 - answers.count)) }
      answers[index] = wanted ? 1 : 2
    }
    return wanted
  }
}
