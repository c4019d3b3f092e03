import CandleCore

/// The line of RHLinePlot: the closes of a series, where its segments begin, and how much of the width it takes.
public struct LinePlot: Sendable {
  private struct Point: Sendable {
    var openTime: Milliseconds
    var close: Fixed
    /// 0 while it forms.
    var version: Int64
  }

  private var points: ContiguousArray<Point> = []
  private let limit: Int
  private let segment: Timeframe

  /// - Parameters:
  ///   - limit: the most points; the oldest go.
  ///   - segment: a new segment begins where a candle of this timeframe would.
  public init(candles: [Candle] = [], limit: Int, segment: Timeframe) {
    self.limit = max(limit, 1)
    self.segment = segment
    for candle in candles { take(candle) }
  }

  /// Adds a candle, or takes a newer state of one.
  public mutating func take(_ candle: Candle) {
    let point = Point(
      openTime: candle.openTime, close: candle.content.close, version: candle.settlement?.version ?? 0)
    var at = points.count
    while at > 0, points[at - 1].openTime > point.openTime { at -= 1 }
    if at > 0, points[at - 1].openTime == point.openTime {
      if point.version >= points[at - 1].version { points[at - 1] = point }
      return
    }
    if at == 0, points.count == limit { return }
    if at == points.count, at > 0, points[at - 1].version == 0 {
      // A candle settles before the next one forms; this one never did: its source went away.
      points[at - 1] = point
      return
    }
    points.insert(point, at: at)
    if points.count > limit { points.removeFirst() }
  }

  /// - Parameter time: server time, whose UTC day is the whole width.
  public func write(time: Milliseconds, to out: ByteWriter) {
    out.write("{\"values\":[")
    for index in points.indices {
      if index > 0 { out.write(",") }
      out.write(points[index].close)
    }
    out.write("],\"lineSegmentStartingIndices\":[")
    for index in points.indices {
      if index > 0 {
        let before = segment.openTime(of: points[index - 1].openTime)
        if segment.openTime(of: points[index].openTime) == before { continue }
        out.write(",")
      }
      out.write(index)
    }
    out.write("],\"occupyingRelativeWidth\":")
    let elapsed = time - Timeframe.D1.openTime(of: time)
    out.write(Fixed(coefficient: elapsed * 10_000 / Timeframe.D1.interval, scale: 4))
    out.write("}")
  }
}
