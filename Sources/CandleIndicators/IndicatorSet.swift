import CandleCore

/// The indicators of one series: `preview` for the forming candle, `commit` for a settled one.
///
/// A preview reads only: any number of them changes nothing, and the last preview of a candle and its commit give
/// the same bits. Neither allocates, and the cost does not depend on the periods, except where the windows must be
/// built at another scale: for a candle with more decimals than any before it, and where values come or go that are too
/// far apart for a common scale (see `ScaledCandle`). A preview then works on a copy of the windows, which takes memory
/// from the heap for its time only if they are larger than a page (periods beyond about 100).
///
/// **Another indicator** joins in three places: it asks `IndicatorPlan` for the windows it reads and reserves
/// recursion slots for the state that it steps; it is evaluated in `evaluate`; its keys join
/// `IndicatorConfiguration.keys`. Whatever lies in the recursion slots is part of the checkpoints of the correction
/// window and of `writeCheckpoint`, bit for bit. So a state that no warm-up restores (OBV, SAR, Supertrend) needs
/// nothing else: it survives a correction and a restart like an average does. A slot holds a number below 10^24 in
/// size; an exact 128-bit sum takes several, each a part of 48 bits.
///
/// Not thread-safe: a series belongs to one thread at a time.
public final class IndicatorSet {
  public let plan: IndicatorPlan
  /// How many candles can be rolled back at most.
  public let correctionWindow: Int
  let memory: SeriesMemory
  /// One state of the recursions and scales per candle of the correction window.
  let checkpoints: UnsafeMutableRawPointer
  private let base: UnsafeMutableRawPointer

  /// - Parameter correctionWindow: number of settled candles that a late tick may still correct.
  public init(plan: IndicatorPlan, correctionWindow: Int = 0) {
    self.plan = plan
    self.correctionWindow = max(0, correctionWindow)
    let recordedCount = plan.longestWindow - 1 + self.correctionWindow
    let recordedBytes = recordedCount * MemoryLayout<RecordedCandle>.stride
    let size = plan.layout.windowBytes + recordedBytes + self.correctionWindow * plan.layout.checkpointBytes
    base = .allocate(byteCount: size, alignment: 16)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    checkpoints = base + plan.layout.windowBytes + recordedBytes
    memory = SeriesMemory(
      at: base, layout: plan.layout,
      recorded: (base + plan.layout.windowBytes).assumingMemoryBound(to: RecordedCandle.self),
      recordedCapacity: recordedCount)
    stateBytes = size
    memory.header.pointee = SeriesHeader()
    for slot in 0..<plan.initialRecursions.count { memory.recursions[slot] = plan.initialRecursions[slot] }
    memory.rebuildWindows(scales: .initial, plan: plan)
  }

  deinit { base.deallocate() }

  /// Size of the state in memory.
  public let stateBytes: Int

  /// Number of committed candles.
  public var count: Int { memory.header.pointee.count }

  /// The values as if the candle were committed now.
  /// - Parameter values: room for one number a key of the plan; NaN marks "no value".
  public func preview(_ candle: CandleContent, into values: UnsafeMutablePointer<Double>) {
    guard let scaled = ScaledCandle(candle, header: memory.header.pointee, plan: plan) else {
      previewRescaled(candle, into: values)
      return
    }
    evaluate(scaled, memory: memory, committing: false, to: values)
  }

  /// Takes a settled candle; the next one follows it.
  /// - Parameter values: room for one number a key of the plan; NaN marks "no value".
  public func commit(_ candle: CandleContent, into values: UnsafeMutablePointer<Double>) {
    saveCheckpoint()
    guard let scaled = ScaledCandle(candle, header: memory.header.pointee, plan: plan) else {
      commitRescaled(candle, into: values)
      return
    }
    settle(scaled, as: candle, into: values)
  }

  @inline(__always) private func settle(
    _ scaled: ScaledCandle, as candle: CandleContent, into values: UnsafeMutablePointer<Double>
  ) {
    evaluate(scaled, memory: memory, committing: true, to: values)
    memory.record(RecordedCandle(candle))
    memory.advance(scaled, plan: plan)
  }

  @inline(never) private func commitRescaled(
    _ candle: CandleContent, into values: UnsafeMutablePointer<Double>
  ) {
    if let scaled = roundedAsBefore(candle) {
      settle(scaled, as: candle, into: values)
      return
    }
    let scales = memory.scales(with: candle, plan: plan)
    if !scales.sameUnits(as: memory.scales) { memory.rebuildWindows(scales: scales, plan: plan) }
    memory.header.pointee.reviewAt = scales.reviewAt
    settle(ScaledCandle(rounding: candle, header: memory.header.pointee), as: candle, into: values)
  }

  /// The candle at scales that are coarser than some value of the windows, as long as that value is there.
  private func roundedAsBefore(_ candle: CandleContent) -> ScaledCandle? {
    guard memory.header.pointee.isRounded, count < memory.header.pointee.reviewAt else { return nil }
    return ScaledCandle(rounding: candle, header: memory.header.pointee, within: plan)
  }

  /// A preview may not write, so the windows are built at the new scale in a copy: on the stack if they fit into a
  /// page, as those of the usual periods do.
  @inline(never) private func previewRescaled(
    _ candle: CandleContent, into values: UnsafeMutablePointer<Double>
  ) {
    if let scaled = roundedAsBefore(candle) {
      evaluate(scaled, memory: memory, committing: false, to: values)
      return
    }
    let scales = memory.scales(with: candle, plan: plan)
    if scales.sameUnits(as: memory.scales) {
      let scaled = ScaledCandle(rounding: candle, header: memory.header.pointee)
      evaluate(scaled, memory: memory, committing: false, to: values)
      return
    }
    if plan.layout.windowBytes <= 4_096 {
      var page = InlineArray<256, Int128>(repeating: 0)
      withUnsafeMutableBytes(of: &page) { buffer in
        preview(candle, at: scales, in: buffer.baseAddress!, into: values)
      }
    } else {
      withUnsafeTemporaryAllocation(byteCount: plan.layout.windowBytes, alignment: 16) { buffer in
        preview(candle, at: scales, in: buffer.baseAddress!, into: values)
      }
    }
  }

  /// A preview at other scales, with room for the windows.
  private func preview(
    _ candle: CandleContent, at scales: SeriesScales, in room: UnsafeMutableRawPointer,
    into values: UnsafeMutablePointer<Double>
  ) {
    let copy = SeriesMemory(
      at: room, layout: plan.layout, recorded: memory.recorded, recordedCapacity: memory.recordedCapacity)
    copy.header.initialize(to: memory.header.pointee)
    copy.recursions.initialize(from: memory.recursions, count: plan.layout.recursionCount)
    copy.rebuildWindows(scales: scales, plan: plan)
    let scaled = ScaledCandle(rounding: candle, header: copy.header.pointee)
    evaluate(scaled, memory: copy, committing: false, to: values)
  }

  /// Every value of a candle, from the windows and the recursions; advances the recursions when committing.
  @inline(__always) private func evaluate(
    _ candle: ScaledCandle, memory: SeriesMemory, committing: Bool, to values: UnsafeMutablePointer<Double>
  ) {
    let plan = plan
    let index = memory.header.pointee.count
    var next = values
    for each in 0..<plan.movingAverages.count {
      next[each] = plan.movingAverages[each].value(candle, index: index, memory: memory)
    }
    next += plan.movingAverages.count
    for each in 0..<plan.exponentials.count {
      next[each] = plan.exponentials[each].value(candle, index: index, memory: memory, committing: committing)
    }
    next += plan.exponentials.count
    for each in 0..<plan.volumeAverages.count {
      next[each] = plan.volumeAverages[each].value(candle, index: index, memory: memory)
    }
    next += plan.volumeAverages.count
    if plan.bollinger.count > 0 {
      plan.bollinger[0].write(candle, index: index, memory: memory, to: next)
      next += 3
    }
    if plan.macd.count > 0 {
      plan.macd[0].write(candle, index: index, memory: memory, committing: committing, to: next)
      next += 3
    }
    if plan.kdj.count > 0 {
      plan.kdj[0].write(candle, index: index, memory: memory, committing: committing, to: next)
      next += 3
    }
    if plan.rsi.count > 0 {
      let previous = memory.closes[(index &- 1) & (plan.layout.closeCapacity &- 1)]
      let change = index > 0 ? Double(candle.close &- previous) / memory.header.pointee.pricePower : 0
      for each in 0..<plan.rsi.count {
        next[each] = plan.rsi[each].value(change: change, index: index, memory: memory, committing: committing)
      }
      next += plan.rsi.count
    }
    for each in 0..<plan.williams.count {
      next[each] = plan.williams[each].value(candle, index: index, memory: memory)
    }
  }
}
