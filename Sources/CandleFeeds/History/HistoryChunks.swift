import CandleCore

/// A range cut into requests of at most so many candles, oldest first. Every boundary of the range is in exactly one
/// chunk, and no chunk is without one.
public struct HistoryChunks: Sequence, IteratorProtocol, Sendable {
  /// Open times up to which there can be candles: the year 2262.
  private static let times: Range<Milliseconds> = 0..<9_223_372_036_854

  private var at: Milliseconds
  private let end: Milliseconds
  private let interval: Milliseconds
  private let limit: Int64

  /// - Parameters:
  ///   - asked: open times in Unix milliseconds, the end exclusive; what is before 1970 or past 2262 is left out.
  ///   - limit: the most candles of a chunk, at least 1.
  public init(_ asked: Range<Milliseconds>, timeframe: Timeframe, limit: Int) {
    let asked = asked.clamped(to: Self.times)
    interval = timeframe.interval
    // Keeps the product with the interval far from overflow; no source answers more at once.
    self.limit = Int64(Swift.min(Swift.max(limit, 1), 1_000_000))
    let boundary = timeframe.openTime(of: asked.lowerBound)
    at = boundary < asked.lowerBound ? boundary + interval : boundary
    end = asked.upperBound
  }

  public init(_ asked: Range<Milliseconds>, timeframe: Timeframe, format: HistoryFormat) {
    self.init(asked, timeframe: timeframe, limit: format.candlesPerRequest)
  }

  /// How many candles are left to ask for.
  public var candles: Int64 { at < end ? (end - at + interval - 1) / interval : 0 }

  /// How many chunks are left.
  public var count: Int { Int((candles + limit - 1) / limit) }

  public mutating func next() -> Range<Milliseconds>? {
    guard at < end else { return nil }
    let chunk = at..<Swift.min(end, at + limit * interval)
    at = chunk.upperBound
    return chunk
  }
}
