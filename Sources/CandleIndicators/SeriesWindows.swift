import CandleCore

/// The moving windows of a series: sums of closes and volumes, and highs and lows.
///
/// Each window holds the n − 1 newest committed values; the forming candle is its n-th, so that a preview needs
/// neither eviction nor a walk through the window.
extension SeriesMemory {
  /// Takes a committed candle into every window; O(1) amortised whatever the periods.
  /// - Parameter first: number of the oldest candle that the windows were fed.
  @inline(__always) func advance(_ candle: ScaledCandle, from first: Int = 0, plan: IndicatorPlan) {
    let index = header.pointee.count
    let mask = plan.layout.closeCapacity &- 1
    closes[index & mask] = candle.close
    for window in 0..<plan.closePeriods.count {
      let leaving = index &- plan.closePeriods[window] &+ 1
      closeSums[window] &+= candle.close &- (leaving >= first ? closes[leaving & mask] : 0)
    }
    if plan.bollinger.count > 0 {
      let leaving = index &- plan.bollinger[0].period &+ 1
      header.pointee.squares &+= Self.square(candle.close)
      if leaving >= first { header.pointee.squares &-= Self.square(closes[leaving & mask]) }
    }
    let volumeMask = plan.layout.volumeCapacity &- 1
    volumes[index & volumeMask] = candle.volume
    for window in 0..<plan.volumePeriods.count {
      let leaving = index &- plan.volumePeriods[window] &+ 1
      volumeSums[window] &+= candle.volume &- (leaving >= first ? volumes[leaving & volumeMask] : 0)
    }
    advanceExtremes(candle, index: index, from: first, plan: plan)
    header.pointee.count = index &+ 1
  }

  @inline(__always) private func advanceExtremes(
    _ candle: ScaledCandle, index: Int, from first: Int, plan: IndicatorPlan
  ) {
    if plan.filledExtremes == 0 { return }
    let mask = plan.layout.extremeCapacity &- 1
    highs[index & mask] = candle.high
    lows[index & mask] = candle.low
    if plan.extremeLengths[0] <= Self.longestScan {
      scanExtremes(newest: index, count: index &- first &+ 1, mask: mask, plan: plan)
    } else {
      queueExtremes(candle, index: index, mask: mask, plan: plan)
    }
  }

  /// Up to this length a walk through the window is faster than the branches of a queue.
  private static var longestScan: Int { 32 }

  /// One walk back in time serves all windows, from the shortest to the longest.
  @inline(__always) private func scanExtremes(newest: Int, count: Int, mask: Int, plan: IndicatorPlan) {
    var high = Int64.min
    var low = Int64.max
    var back = 0
    var window = plan.filledExtremes &- 1
    while window >= 0 {
      let end = min(plan.extremeLengths[window], count)
      while back < end {
        high = max(high, highs[(newest &- back) & mask])
        low = min(low, lows[(newest &- back) & mask])
        back &+= 1
      }
      highest[window] = high
      lowest[window] = low
      window &-= 1
    }
  }

  /// One queue of falling highs serves all windows: the highest of the m newest candles is the first entry that is
  /// not older than m, so each window only keeps its place in the queue (after Lemire, "Streaming maximum-minimum
  /// filter"); and one of rising lows.
  @inline(never) private func queueExtremes(_ candle: ScaledCandle, index: Int, mask: Int, plan: IndicatorPlan) {
    let now = UInt32(truncatingIfNeeded: index)
    var tail = header.pointee.highTail
    let highHead = highFronts[0]
    while tail != highHead, highs[Int(highQueue[Int(tail &- 1) & mask]) & mask] <= candle.high { tail &-= 1 }
    highQueue[Int(tail) & mask] = now
    header.pointee.highTail = tail &+ 1
    for window in 0..<plan.filledExtremes {
      highFronts[window] = Self.front(
        highFronts[window], tail: tail, queue: highQueue, now: now, length: plan.extremeLengths[window], mask: mask)
      highest[window] = highs[Int(highQueue[Int(highFronts[window]) & mask]) & mask]
    }

    tail = header.pointee.lowTail
    let lowHead = lowFronts[0]
    while tail != lowHead, lows[Int(lowQueue[Int(tail &- 1) & mask]) & mask] >= candle.low { tail &-= 1 }
    lowQueue[Int(tail) & mask] = now
    header.pointee.lowTail = tail &+ 1
    for window in 0..<plan.filledExtremes {
      lowFronts[window] = Self.front(
        lowFronts[window], tail: tail, queue: lowQueue, now: now, length: plan.extremeLengths[window], mask: mask)
      lowest[window] = lows[Int(lowQueue[Int(lowFronts[window]) & mask]) & mask]
    }
  }

  /// Moves a window's place past entries that are too old, or back to the newest one where those after it were
  /// dropped.
  @inline(__always) private static func front(
    _ place: UInt32, tail: UInt32, queue: UnsafeMutablePointer<UInt32>, now: UInt32, length: Int, mask: Int
  ) -> UInt32 {
    var front = Int32(bitPattern: place &- tail) > 0 ? tail : place
    while now &- queue[Int(front) & mask] >= UInt32(truncatingIfNeeded: length) { front &+= 1 }
    return front
  }

  @inline(__always) static func square(_ value: Int64) -> Int128 {
    Int128(truncatingIfNeeded: value) &* Int128(truncatingIfNeeded: value)
  }

  /// Builds every window from the recorded candles, at the given scales.
  func rebuildWindows(scales: SeriesScales, plan: IndicatorPlan) {
    header.pointee.priceScale = Int16(truncatingIfNeeded: scales.price)
    header.pointee.volumeScale = Int16(truncatingIfNeeded: scales.volume)
    header.pointee.isRounded = scales.isRounded
    header.pointee.reviewAt = scales.reviewAt
    header.pointee.pricePower = DecimalShift.power(scales.price)
    let volumePower = DecimalShift.power(scales.volume)
    for window in 0..<plan.closePeriods.count {
      closeSums[window] = 0
      closeDivisors[window] = Double(plan.closePeriods[window]) * header.pointee.pricePower
    }
    for window in 0..<plan.volumePeriods.count {
      volumeSums[window] = 0
      volumeDivisors[window] = Double(plan.volumePeriods[window]) * volumePower
    }
    header.pointee.squares = 0
    header.pointee.highTail = 0
    header.pointee.lowTail = 0
    for window in 0..<plan.extremeLengths.count {
      highFronts[window] = 0
      lowFronts[window] = 0
      highest[window] = .min
      lowest[window] = .max
    }

    // The windows are fed from the oldest candle that any of them still holds; nothing older may be evicted.
    let count = header.pointee.count
    let first = max(0, count - (plan.longestWindow - 1))
    var next = recordedCandle(first)
    header.pointee.count = first
    for _ in first..<count {
      advance(ScaledCandle(rounding: next.pointee, header: header.pointee), from: first, plan: plan)
      next += 1
      if next == recorded + recordedCapacity { next = recorded }
    }
  }

  /// The scales that the windows need together with one more candle.
  func scales(with candle: CandleContent, plan: IndicatorPlan) -> SeriesScales {
    let count = header.pointee.count
    let first = max(0, count - (plan.longestWindow - 1))
    var price = Int(max(candle.high.scale, candle.low.scale, candle.close.scale))
    var volume = Int(candle.volume.scale)
    for index in first..<count {
      let old = recordedCandle(index).pointee
      price = max(price, Int(max(old.highScale, old.lowScale, old.closeScale)))
      volume = max(volume, Int(old.volumeScale))
    }
    var priceChoice = ScaleChoice(finest: price, limit: Int128(plan.priceLimit))
    var volumeChoice = ScaleChoice(finest: volume, limit: plan.volumeLimit)
    for index in first...count {
      let each = index < count ? recordedCandle(index).pointee : RecordedCandle(candle)
      priceChoice.take(Int128(each.high), scale: each.highScale, index: index)
      priceChoice.take(Int128(each.low), scale: each.lowScale, index: index)
      priceChoice.take(Int128(each.close), scale: each.closeScale, index: index)
      volumeChoice.take(each.volume, scale: each.volumeScale, index: index)
    }
    var scales = SeriesScales(price: priceChoice.scale, volume: volumeChoice.scale, isRounded: false, reviewAt: 0)
    for choice in [priceChoice.binding, volumeChoice.binding] {
      guard let choice else { continue }
      let leaves = choice + plan.longestWindow
      scales.reviewAt = scales.isRounded ? min(scales.reviewAt, leaves) : leaves
      scales.isRounded = true
    }
    return scales
  }

  var scales: SeriesScales {
    SeriesScales(
      price: Int(header.pointee.priceScale), volume: Int(header.pointee.volumeScale),
      isRounded: header.pointee.isRounded, reviewAt: header.pointee.reviewAt)
  }
}

/// Decimals of the scaled prices and volumes of a series.
struct SeriesScales: Equatable {
  var price: Int
  var volume: Int
  /// They are coarser than the finest value of the windows.
  var isRounded: Bool
  /// If so, the candle at which the value that made them so has left every window.
  var reviewAt: Int

  static let initial = SeriesScales(price: 0, volume: 0, isRounded: false, reviewAt: 0)

  /// Whether the same windows serve both.
  func sameUnits(as other: SeriesScales) -> Bool {
    price == other.price && volume == other.volume && isRounded == other.isRounded
  }
}

/// Starts at the most decimals of a window and gives up as many as the largest value demands.
private struct ScaleChoice {
  let finest: Int
  let limit: Int128
  private(set) var scale: Int
  /// Newest candle that demands the scale, if it is not the finest.
  private(set) var binding: Int?

  init(finest: Int, limit: Int128) {
    self.finest = finest
    self.limit = limit
    scale = finest
  }

  mutating func take(_ coefficient: Int128, scale own: UInt8, index: Int) {
    let possible = DecimalShift.scale(coefficient, at: Int(own), within: limit, from: finest)
    if possible <= scale, possible < finest {
      scale = possible
      binding = index
    }
  }
}

extension RecordedCandle {
  @inline(__always) init(_ candle: CandleContent) {
    self.init(
      volume: candle.volume.coefficient, high: candle.high.coefficient, low: candle.low.coefficient,
      close: candle.close.coefficient, volumeScale: candle.volume.scale, highScale: candle.high.scale,
      lowScale: candle.low.scale, closeScale: candle.close.scale)
  }
}
