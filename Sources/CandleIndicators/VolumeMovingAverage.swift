/// MAVOL: the simple moving average of the volume.
///
/// - Formula: `MAVOL(n) = (V₀ + … + Vₙ₋₁) / n`, over the candle and the n − 1 before it; the sum is exact.
/// - Seed: none.
/// - First value: candle n − 1, in every convention.
/// - Flat market: the mean of what was traded; 0 where nothing was.
/// - Source: TongDaXin `MA(VOL,n)`, Pine `ta.sma(volume, n)`, TA-Lib `SMA` over the volume.
struct VolumeMovingAverage: BitwiseCopyable {
  let period: Int
  /// Number of its sum among the sums of volumes.
  let sum: Int

  @inline(__always) func value(_ candle: ScaledCandle, index: Int, memory: SeriesMemory) -> Double {
    if index < period &- 1 { return .nan }
    return Double(nearly: memory.volumeSums[sum] &+ candle.volume) / memory.volumeDivisors[sum]
  }
}

extension Double {
  /// Within one unit in the last place. The words are converted apart, because the library's conversion of a 128-bit
  /// integer takes microseconds.
  @inline(__always) init(nearly value: Int128) {
    let low = Int64(truncatingIfNeeded: value)
    if Int128(truncatingIfNeeded: low) == value {
      self = Double(low)
    } else {
      let high = Int64(truncatingIfNeeded: value >> 64)
      self = Double(high) * 18_446_744_073_709_551_616.0 + Double(UInt64(bitPattern: low))
    }
  }
}
