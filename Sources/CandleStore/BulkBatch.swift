import CandleCore

/// Rows on their way to the thread of a bulk load; used again and again, so that it allocates nothing once it has grown.
struct BulkBatch: Sendable {
  /// Without references, so that a copy counts none.
  struct Row: Sendable {
    var series: SeriesKey
    var candle: Candle
    /// Where the JSON text of its indicators lies in `texts`; negative if it has none.
    var textStart: Int
    var textCount: Int
  }

  /// Bytes of a text that room is kept for; the default indicators take some 420.
  private static let textRoom = 512

  var names: [(id: Int32, name: String)] = []
  private(set) var rows: [Row] = []
  private var texts: [UInt8] = []

  var isEmpty: Bool { rows.isEmpty && names.isEmpty }
  var newestVersion: Int64 { rows.reduce(0) { max($0, $1.candle.settlement?.version ?? 0) } }

  /// Address space for a whole batch: to grow step by step would touch twice the memory.
  mutating func reserve(_ count: Int) {
    rows.reserveCapacity(count)
  }

  @inline(__always)
  mutating func append(_ series: SeriesKey, _ candle: Candle, _ indicators: UnsafeRawBufferPointer?) {
    let start = indicators == nil ? -1 : texts.count
    if let indicators {
      if texts.capacity == 0 { texts.reserveCapacity(rows.capacity * Self.textRoom) }
      texts.append(contentsOf: indicators)
    }
    rows.append(Row(series: series, candle: candle, textStart: start, textCount: indicators?.count ?? 0))
  }

  mutating func clear() {
    names.removeAll(keepingCapacity: true)
    rows.removeAll(keepingCapacity: true)
    texts.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with the rows at some places and their texts.
  func forEach<E: Error>(
    _ places: [Place], _ body: (SeriesKey, Candle, UnsafeRawBufferPointer?) throws(E) -> Void
  ) throws(E) {
    let result = texts.withUnsafeBytes { texts -> Result<Void, E> in
      do throws(E) {
        for place in places {
          let row = rows[Int(place.index)]
          let text =
            row.textStart < 0
            ? nil : UnsafeRawBufferPointer(rebasing: texts[row.textStart..<row.textStart + row.textCount])
          try body(row.series, row.candle, text)
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// One batch of both; what the other one has is later.
  func followed(by other: BulkBatch) -> BulkBatch {
    var both = self
    both.names += other.names
    both.rows += other.rows.map { row in
      var row = row
      if row.textStart >= 0 { row.textStart += texts.count }
      return row
    }
    both.texts += other.texts
    return both
  }

  /// Sorted instead of the rows, which are ten times as large.
  struct Place {
    var series: Int64
    var openTime: Milliseconds
    var index: Int32
  }

  /// The rows in the order of the key: neighbouring rows share a page; the open time alone would visit one page a series.
  var sorted: [Place] {
    var order: [Place] = []
    order.reserveCapacity(rows.count)
    for index in rows.indices {
      let series = rows[index].series
      order.append(
        Place(
          series: Int64(series.symbol) << 8 | Int64(series.timeframe.rawValue),
          openTime: rows[index].candle.openTime, index: Int32(index)))
    }
    // Of two states of one candle the later one must be written last.
    order.sort { a, b in
      if a.series != b.series { return a.series < b.series }
      return a.openTime != b.openTime ? a.openTime < b.openTime : a.index < b.index
    }
    return order
  }
}
