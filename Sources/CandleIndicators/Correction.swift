/// The scales as a checkpoint holds them, before the recursions.
private struct CheckpointScales {
  var reviewAt: Int64
  var price: Int16
  var volume: Int16
  var isRounded: Bool
}

extension SeriesLayout {
  /// Size of one checkpoint: scales, then the recursions.
  var checkpointBytes: Int { Self.checkpointHead + 8 * recursionCount }
  fileprivate static var checkpointHead: Int { 16 }
}

/// Roll-back: a late tick changes a settled candle, so the series returns to the state before it and takes the
/// corrected candle and its successors anew.
extension IndicatorSet {
  /// How many candles can be rolled back now.
  public var rollBackDepth: Int { Int(memory.header.pointee.depth) }

  /// Returns to the state before the last `candles` commits, to the last bit: what follows equals a run that never
  /// saw them.
  /// - Returns: false, and changes nothing, if it is not 0 … `rollBackDepth`.
  public func rollBack(by candles: Int) -> Bool {
    guard candles >= 0, candles <= rollBackDepth else { return false }
    if candles == 0 { return true }
    let (scales, recursions) = checkpoint(back: candles)
    memory.recursions.update(from: recursions, count: plan.layout.recursionCount)
    memory.forget(candles)
    memory.rebuildWindows(scales: scales, plan: plan)
    let place = Int(memory.header.pointee.checkpointNext) - candles
    memory.header.pointee.checkpointNext = Int32(truncatingIfNeeded: place < 0 ? place + correctionWindow : place)
    memory.header.pointee.depth -= Int32(truncatingIfNeeded: candles)
    return true
  }

  /// Keeps the state before the candle that is about to be committed.
  @inline(__always) func saveCheckpoint() {
    if correctionWindow == 0 { return }
    let header = memory.header
    let place = Int(header.pointee.checkpointNext)
    let slot = checkpoints + place &* plan.layout.checkpointBytes
    header.pointee.checkpointNext = place &+ 1 == correctionWindow ? 0 : Int32(truncatingIfNeeded: place &+ 1)
    slot.storeBytes(
      of: CheckpointScales(
        reviewAt: Int64(header.pointee.reviewAt), price: header.pointee.priceScale, volume: header.pointee.volumeScale,
        isRounded: header.pointee.isRounded),
      as: CheckpointScales.self)
    let saved = (slot + SeriesLayout.checkpointHead).assumingMemoryBound(to: Double.self)
    for place in 0..<plan.layout.recursionCount { saved[place] = memory.recursions[place] }
    if Int(header.pointee.depth) < correctionWindow { header.pointee.depth &+= 1 }
  }

  /// The state before the last `candles` commits; at least one.
  func checkpoint(back candles: Int) -> (scales: SeriesScales, recursions: UnsafePointer<Double>) {
    let place = Int(memory.header.pointee.checkpointNext) - candles
    let slot = checkpoints + (place < 0 ? place + correctionWindow : place) * plan.layout.checkpointBytes
    let saved = slot.load(as: CheckpointScales.self)
    return (
      SeriesScales(
        price: Int(saved.price), volume: Int(saved.volume), isRounded: saved.isRounded, reviewAt: Int(saved.reviewAt)),
      UnsafePointer((slot + SeriesLayout.checkpointHead).assumingMemoryBound(to: Double.self))
    )
  }
}
