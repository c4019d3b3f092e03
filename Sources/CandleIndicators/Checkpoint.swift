import CandleCore

/// The state as bytes, for a restart. Restored, the series goes on with the same bits as if it had never stopped.
///
/// A checkpoint may lie some candles back: a process that starts again restores one from before its correction
/// window, commits the stored candles since, and can roll back over them as before.
///
/// Layout, little endian: format (UInt32), number of recursions (UInt32), fingerprint of the configuration (UInt64),
/// number of candles (Int64), candle of the next choice of scales (Int64), scales of prices and volumes (Int16), whether
/// they round (UInt8), three zeros, number of recorded candles (UInt64), the
/// recursions (bits of a Double each), then each recorded candle: volume (two UInt64, low first), high, low, close
/// (Int64 each) and their scales (UInt8 of volume, high, low, close, four zeros).
extension IndicatorSet {
  static let checkpointFormat: UInt32 = 1
  private static let checkpointHead = 48
  private static let checkpointCandle = 48

  /// The most bytes that a checkpoint of this plan takes.
  public var checkpointCapacity: Int {
    Self.checkpointHead + 8 * plan.layout.recursionCount + Self.checkpointCandle * (plan.longestWindow - 1)
  }

  /// Writes the state before the last `candles` commits.
  /// - Parameter bytes: at least `checkpointCapacity`.
  /// - Returns: the number of bytes written; nil if there is too little room or the state is not kept any more.
  public func writeCheckpoint(back candles: Int = 0, to bytes: UnsafeMutableRawBufferPointer) -> Int? {
    guard candles >= 0, candles <= rollBackDepth, bytes.count >= checkpointCapacity else { return nil }
    let target = count - candles
    var scales = memory.scales
    var recursions = UnsafePointer(memory.recursions)
    if candles > 0 { (scales, recursions) = checkpoint(back: candles) }
    let first = max(0, target - (plan.longestWindow - 1))
    var at = 0
    func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
      bytes.storeBytes(of: value.littleEndian, toByteOffset: at, as: Value.self)
      at += MemoryLayout<Value>.size
    }
    put(Self.checkpointFormat)
    put(UInt32(plan.layout.recursionCount))
    put(plan.fingerprint)
    put(Int64(target))
    put(Int64(scales.reviewAt))
    put(Int16(scales.price))
    put(Int16(scales.volume))
    put(UInt8(scales.isRounded ? 1 : 0))
    put(UInt8(0))
    put(UInt16(0))
    put(UInt64(target - first))
    for slot in 0..<plan.layout.recursionCount { put(recursions[slot].bitPattern) }
    for index in first..<target {
      let candle = memory.recordedCandle(index).pointee
      put(UInt64(truncatingIfNeeded: candle.volume))
      put(UInt64(truncatingIfNeeded: candle.volume >> 64))
      put(candle.high)
      put(candle.low)
      put(candle.close)
      put(candle.volumeScale)
      put(candle.highScale)
      put(candle.lowScale)
      put(candle.closeScale)
      put(UInt32(0))
    }
    return at
  }

  /// Restores a checkpoint.
  /// - Returns: nil if the bytes are damaged, or were written for another configuration.
  public convenience init?(plan: IndicatorPlan, correctionWindow: Int = 0, checkpoint bytes: UnsafeRawBufferPointer) {
    self.init(plan: plan, correctionWindow: correctionWindow)
    var at = 0
    func take<Value: FixedWidthInteger & BitwiseCopyable>(_: Value.Type) -> Value {
      defer { at += MemoryLayout<Value>.size }
      return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: Value.self))
    }
    guard bytes.count >= Self.checkpointHead, take(UInt32.self) == Self.checkpointFormat,
      take(UInt32.self) == plan.layout.recursionCount, take(UInt64.self) == plan.fingerprint
    else { return nil }
    let count = Int(take(Int64.self))
    let reviewAt = Int(take(Int64.self))
    let price = Int(take(Int16.self))
    let volume = Int(take(Int16.self))
    let isRounded = take(UInt8.self) == 1
    at += 3
    let recorded = take(UInt64.self)
    guard (0...1 << 48).contains(count), recorded == UInt64(min(count, plan.longestWindow - 1)),
      (-38...36).contains(price),
      (-38...36).contains(volume),
      bytes.count == Self.checkpointHead + 8 * plan.layout.recursionCount + Self.checkpointCandle * Int(recorded)
    else { return nil }
    for slot in 0..<plan.layout.recursionCount {
      let value = Double(bitPattern: take(UInt64.self))
      // Sums of a thousand 18-digit prices stay far below.
      guard value.magnitude < 1e24 else { return nil }
      memory.recursions[slot] = value
    }
    let scales = SeriesScales(price: price, volume: volume, isRounded: isRounded, reviewAt: reviewAt)
    for _ in 0..<recorded {
      let low = take(UInt64.self)
      let high = take(UInt64.self)
      let candle = RecordedCandle(
        volume: Int128(truncatingIfNeeded: high) << 64 | Int128(truncatingIfNeeded: low), high: take(Int64.self),
        low: take(Int64.self), close: take(Int64.self), volumeScale: take(UInt8.self), highScale: take(UInt8.self),
        lowScale: take(UInt8.self), closeScale: take(UInt8.self))
      at += 4
      guard candle.fits(scales, plan: plan) else { return nil }
      memory.record(candle)
    }
    memory.header.pointee.count = count
    memory.rebuildWindows(scales: scales, plan: plan)
  }
}

extension RecordedCandle {
  /// Whether its numbers are ones that the module could have written.
  fileprivate func fits(_ scales: SeriesScales, plan: IndicatorPlan) -> Bool {
    guard max(highScale, lowScale, closeScale) <= 18, volumeScale <= 36 else { return false }
    for (coefficient, scale) in [(high, highScale), (low, lowScale), (close, closeScale)] {
      let scaled = DecimalShift.shift(Int128(coefficient), from: Int(scale), to: scales.price)
      if scaled.magnitude > UInt128(plan.priceLimit) { return false }
    }
    let scaled = DecimalShift.shift(volume, from: Int(volumeScale), to: scales.volume)
    return scaled.magnitude <= plan.volumeLimit.magnitude
  }
}
