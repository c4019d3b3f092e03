/// The part of a series' state that has the same size in every configuration.
struct SeriesHeader {
  /// Σ close² over BOLL's committed closes.
  var squares: Int128 = 0
  /// Number of committed candles; the index of the forming one.
  var count: Int = 0
  /// If the scales are coarser, the candle at which they are chosen anew.
  var reviewAt: Int = 0
  /// 10^priceScale.
  var pricePower: Double = 1
  /// Number of decimals of the scaled prices; negative only where 10^18 would overflow a sum.
  var priceScale: Int16 = 0
  var volumeScale: Int16 = 0
  /// The scales are coarser than some value of the windows.
  var isRounded: Bool = false
  /// Number of candles that can be rolled back.
  var depth: Int32 = 0
  /// Where the next candle is recorded, and the next checkpoint.
  var recordedNext: Int32 = 0
  var checkpointNext: Int32 = 0
  /// Ends of the queues of highs and of lows.
  var highTail: UInt32 = 0
  var lowTail: UInt32 = 0
}

/// One candle as it came, kept to build the windows anew.
struct RecordedCandle {
  var volume: Int128
  var high: Int64
  var low: Int64
  var close: Int64
  var volumeScale: UInt8
  var highScale: UInt8
  var lowScale: UInt8
  var closeScale: UInt8
}

/// Where the parts of a series' state lie, in bytes from its start.
struct SeriesLayout {
  let recursionCount: Int
  let closeSumCount: Int
  let volumeSumCount: Int
  let extremeCount: Int
  /// Capacities of the rings: powers of two.
  let closeCapacity: Int
  let extremeCapacity: Int
  let volumeCapacity: Int

  let recursions: Int
  let closeSums: Int
  let closeDivisors: Int
  let volumeSums: Int
  let volumeDivisors: Int
  let highest: Int
  let lowest: Int
  let highFronts: Int
  let lowFronts: Int
  let closes: Int
  let highs: Int
  let lows: Int
  let volumes: Int
  let highQueue: Int
  let lowQueue: Int
  /// Everything above: what a preview at another scale copies.
  let windowBytes: Int

  init(
    recursions recursionCount: Int, closeSums closeSumCount: Int, volumeSums volumeSumCount: Int,
    extremes extremeCount: Int, longestClose: Int, longestExtreme: Int, longestVolume: Int
  ) {
    self.recursionCount = recursionCount
    self.closeSumCount = closeSumCount
    self.volumeSumCount = volumeSumCount
    self.extremeCount = extremeCount
    closeCapacity = Self.powerOfTwo(atLeast: longestClose)
    extremeCapacity = Self.powerOfTwo(atLeast: longestExtreme)
    volumeCapacity = Self.powerOfTwo(atLeast: longestVolume)

    var end = MemoryLayout<SeriesHeader>.stride
    func place(_ bytes: Int) -> Int {
      let start = (end + 15) & ~15
      end = start + bytes
      return start
    }
    recursions = place(8 * recursionCount)
    closeSums = place(8 * closeSumCount)
    closeDivisors = place(8 * closeSumCount)
    volumeSums = place(16 * volumeSumCount)
    volumeDivisors = place(8 * volumeSumCount)
    highest = place(8 * extremeCount)
    lowest = place(8 * extremeCount)
    highFronts = place(4 * extremeCount)
    lowFronts = place(4 * extremeCount)
    closes = place(8 * closeCapacity)
    highs = place(8 * extremeCapacity)
    lows = place(8 * extremeCapacity)
    volumes = place(16 * volumeCapacity)
    highQueue = place(4 * extremeCapacity)
    lowQueue = place(4 * extremeCapacity)
    windowBytes = (end + 15) & ~15
  }

  static func powerOfTwo(atLeast count: Int) -> Int {
    var power = 1
    while power < count { power *= 2 }
    return power
  }
}

/// The state of one series as typed pointers into one block; owns nothing.
///
/// The recorded candles lie apart, because a preview at another scale works on a copy of the windows that it builds
/// from them.
struct SeriesMemory {
  let header: UnsafeMutablePointer<SeriesHeader>
  let recursions: UnsafeMutablePointer<Double>
  let closeSums: UnsafeMutablePointer<Int64>
  /// Period × 10^scale of each sum of closes.
  let closeDivisors: UnsafeMutablePointer<Double>
  let volumeSums: UnsafeMutablePointer<Int128>
  let volumeDivisors: UnsafeMutablePointer<Double>
  /// Highest high and lowest low of the committed candles of each window.
  let highest: UnsafeMutablePointer<Int64>
  let lowest: UnsafeMutablePointer<Int64>
  let highFronts: UnsafeMutablePointer<UInt32>
  let lowFronts: UnsafeMutablePointer<UInt32>
  let closes: UnsafeMutablePointer<Int64>
  let highs: UnsafeMutablePointer<Int64>
  let lows: UnsafeMutablePointer<Int64>
  let volumes: UnsafeMutablePointer<Int128>
  let highQueue: UnsafeMutablePointer<UInt32>
  let lowQueue: UnsafeMutablePointer<UInt32>
  let recorded: UnsafeMutablePointer<RecordedCandle>
  let recordedCapacity: Int

  init(
    at base: UnsafeMutableRawPointer, layout: SeriesLayout, recorded: UnsafeMutablePointer<RecordedCandle>,
    recordedCapacity: Int
  ) {
    header = base.assumingMemoryBound(to: SeriesHeader.self)
    recursions = (base + layout.recursions).assumingMemoryBound(to: Double.self)
    closeSums = (base + layout.closeSums).assumingMemoryBound(to: Int64.self)
    closeDivisors = (base + layout.closeDivisors).assumingMemoryBound(to: Double.self)
    volumeSums = (base + layout.volumeSums).assumingMemoryBound(to: Int128.self)
    volumeDivisors = (base + layout.volumeDivisors).assumingMemoryBound(to: Double.self)
    highest = (base + layout.highest).assumingMemoryBound(to: Int64.self)
    lowest = (base + layout.lowest).assumingMemoryBound(to: Int64.self)
    highFronts = (base + layout.highFronts).assumingMemoryBound(to: UInt32.self)
    lowFronts = (base + layout.lowFronts).assumingMemoryBound(to: UInt32.self)
    closes = (base + layout.closes).assumingMemoryBound(to: Int64.self)
    highs = (base + layout.highs).assumingMemoryBound(to: Int64.self)
    lows = (base + layout.lows).assumingMemoryBound(to: Int64.self)
    volumes = (base + layout.volumes).assumingMemoryBound(to: Int128.self)
    highQueue = (base + layout.highQueue).assumingMemoryBound(to: UInt32.self)
    lowQueue = (base + layout.lowQueue).assumingMemoryBound(to: UInt32.self)
    self.recorded = recorded
    self.recordedCapacity = recordedCapacity
  }

  /// The recorded candle of a number that the ring still holds.
  @inline(__always) func recordedCandle(_ index: Int) -> UnsafeMutablePointer<RecordedCandle> {
    let place = Int(header.pointee.recordedNext) &- (header.pointee.count &- index)
    return recorded + (place < 0 ? place &+ recordedCapacity : place)
  }

  @inline(__always) func record(_ candle: RecordedCandle) {
    let place = Int(header.pointee.recordedNext)
    recorded[place] = candle
    header.pointee.recordedNext = place &+ 1 == recordedCapacity ? 0 : Int32(truncatingIfNeeded: place &+ 1)
  }

  /// Forgets the newest candles; the windows are to be built anew.
  func forget(_ candles: Int) {
    let place = Int(header.pointee.recordedNext) - candles
    header.pointee.recordedNext = Int32(truncatingIfNeeded: place < 0 ? place + recordedCapacity : place)
    header.pointee.count -= candles
  }
}
