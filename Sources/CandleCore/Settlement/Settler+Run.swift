import CandlePrefetch

extension Settler {
  /// Takes the ticks that change nothing but the open candle of the shortest timeframe, up to the first that may do more:
  /// the same as `refusal(of:now:)` and `take(_:now:into:)` for each, in one loop beside the state.
  ///
  /// A tick with an id is left to the caller, which has to ask whether it was seen before.
  /// - Parameters:
  ///   - ticks: in the order of their arrival, of any symbols.
  ///   - now: server time, which does not change meanwhile.
  /// - Returns: how many were taken.
  public mutating func takeForming(_ ticks: UnsafePointer<Tick>, count: Int, now: Milliseconds) -> Int {
    guard let onlyRoot, hasRoom else { return 0 }
    let open = series + onlyRoot
    if open.pointee.forming.isEmpty { return 0 }
    let begin = lowerNanoseconds
    var end = upperNanoseconds
    if let maxAhead = rules.maxAhead { end = min(end, Timestamp.nanoseconds(clamping: now &+ maxAhead &+ 1)) }
    var taken = 0
    var newest = Int64.min
    while taken < count {
      let tick = ticks + taken
      let time = tick.pointee.time.nanoseconds
      // Below 2^60 at any scale a sum stays below 2^120 at the finest one: any volume fits.
      guard time >= begin, time < end, tick.pointee.symbol == symbol, tick.pointee.id.kind == .none,
        open.pointee.forming.volume.coefficient < 1 << 60
      else { break }
      open.pointee.forming.join(tick)
      newest = max(newest, time)
      taken &+= 1
    }
    if taken > 0 { lastTick = max(lastTick ?? .min, Timestamp(nanoseconds: newest).milliseconds) }
    return taken
  }

  /// Asks for the memory that a tick changes. With many symbols it is in no cache, and what is asked for some ticks ahead
  /// comes while they are taken. Each part leads to the next one, so they are asked for one after another.
  public enum Prefetch: Sendable {
    case settler, openCandles, settledCandles
  }

  /// Fewer symbols fit into the nearest caches.
  public static let prefetchFrom = 64

  /// - Parameters:
  ///   - settler: where it lies; a call on it would copy it.
  ///   - time: of the tick.
  @inline(__always)
  public static func prefetch(_ part: Prefetch, of settler: UnsafePointer<Settler>, for time: Timestamp) {
    if part == .settler {
      candled_prefetch(UnsafeRawPointer(settler))
      return candled_prefetch(UnsafeRawPointer(settler) + 64)
    }
    let opensCandle = time.nanoseconds >= settler.pointee.upperNanoseconds
    let series = settler.pointee.series
    let root = settler.pointee.onlyRoot ?? 0
    if part == .settledCandles {
      if opensCandle { series[root].recent.prefetch() }
      return
    }
    let state = UnsafeRawPointer(series + (opensCandle ? 0 : root))
    let size = opensCandle ? settler.pointee.count &* MemoryLayout<SeriesState>.stride : MemoryLayout<SeriesState>.size
    var at = 0
    while at < size {
      candled_prefetch(state + at)
      at &+= 64
    }
  }
}
