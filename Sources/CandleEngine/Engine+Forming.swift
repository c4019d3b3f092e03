import CandleCore

extension Engine {
  /// Publishes the forming candles that changed and whose turn it is.
  /// - Parameter interest: bit per timeframe of a symbol whose forming candle somebody reads.
  /// - Returns: the monotonic time in nanoseconds at which the next one is due; nil if none waits.
  public func publishForming(at instant: Instant, interest: (Int32) -> UInt32) -> Int64? {
    guard !dirtySymbols.isEmpty else { return nil }
    var next: Int64?
    var kept = 0
    for index in 0..<dirtySymbols.count {
      let symbol = dirtySymbols[index]
      if let due = publishForming(of: symbol, at: instant, wanted: interest(symbol)) {
        next = min(next ?? .max, due)
        dirtySymbols[kept] = symbol
        kept += 1
      } else {
        symbols[Int(symbol)].queued = false
      }
    }
    dirtySymbols.removeLast(dirtySymbols.count - kept)
    return next
  }

  private func publishForming(of symbol: Int32, at instant: Instant, wanted: UInt32) -> Int64? {
    let at = Int(symbol)
    if wanted == 0 {
      symbols[at].dirty = 0
      return nil
    }
    var next: Int64?
    for position in 0..<timeframeCount {
      let bit: UInt32 = 1 << UInt32(position)
      guard symbols[at].dirty & bit != 0 else { continue }
      // What waits behind a commit is marked anew when that is published.
      if wanted & bit == 0 || symbols[at].series[position].unpublished > 0 {
        symbols[at].dirty &= ~bit
        continue
      }
      let due = symbols[at].series[position].lastForming &+ configuration.formingInterval &* 1_000_000
      if instant.monotonic < due {
        next = min(next ?? .max, due)
        continue
      }
      symbols[at].dirty &= ~bit
      if let candle = symbols[at].settler.forming(position) {
        symbols[at].series[position].lastForming = instant.monotonic
        publications.append(
          .forming(
            SeriesKey(symbol: symbol, timeframe: configuration.rules.timeframes[position]), candle,
            values: formingValues(at, position, candle)))
        counters.forming &+= 1
      }
    }
    return next
  }

  /// Has the forming candles of a symbol published again, as if they had changed.
  public func refreshForming(of symbol: Int32) { markDirty(symbol) }

  /// The same for one timeframe.
  public func refreshForming(of symbol: Int32, position: Int) {
    let at = Int(symbol)
    symbols[at].dirty |= 1 << UInt32(position)
    if !symbols[at].queued {
      symbols[at].queued = true
      dirtySymbols.append(symbol)
    }
  }

  func formingValues(_ at: Int, _ position: Int, _ candle: Candle) -> ContiguousArray<Double>? {
    guard plan != nil, !symbols[at].series[position].isCold else { return nil }
    if symbols[at].series[position].indicators == nil { makeIndicators(at, position) }
    return symbols[at].series[position].indicators?.preview(candle)
  }

  /// The monotonic time, in nanoseconds, at which something settles by clock; nil if nothing will.
  public var nextClockWake: Int64? {
    let due = min(clockDue, missedDue)
    return due == .max ? nil : clock.monotonic(of: due)
  }
}
