import CandleCore

/// A candle as integers at the scale of its series: prices in units of 10^-priceScale, the volume in units of
/// 10^-volumeScale.
///
/// Integers make the windows exact: what enters a sum leaves it again without a trace, and ties are ties. The scale
/// of a series grows when a candle with more decimals comes. Values that then would overflow a sum of the longest
/// window (price × period of 2^63 and more: 17 digits at 20 candles, 15 at 1,000) make the common scale coarser, and
/// are rounded to it until the candle that stretched the range has left the windows.
struct ScaledCandle {
  var high: Int64
  var low: Int64
  var close: Int64
  var volume: Int128
  /// The close as a number, for the recursions.
  var price: Double

  /// - Returns: nil where digits would be lost or a limit is passed; then the scales must be chosen anew.
  @inline(__always) init?(_ candle: CandleContent, header: SeriesHeader, plan: IndicatorPlan) {
    let scale = UInt8(truncatingIfNeeded: header.priceScale)
    var high = candle.high.coefficient
    var low = candle.low.coefficient
    var close = candle.close.coefficient
    var fits = !header.isRounded
    if candle.high.scale != scale || candle.low.scale != scale || candle.close.scale != scale {
      fits =
        Self.raise(&high, from: candle.high.scale, to: scale) && Self.raise(&low, from: candle.low.scale, to: scale)
        && Self.raise(&close, from: candle.close.scale, to: scale) && fits
    }
    let limit = plan.priceLimit
    fits = fits && high <= limit && high >= -limit && low <= limit && low >= -limit && close <= limit && close >= -limit

    var volume = candle.volume.coefficient
    if candle.volume.scale != UInt8(truncatingIfNeeded: header.volumeScale) {
      // Both factors of the usual case have 64 bits, so their product needs no check.
      let missing = Int(header.volumeScale) &- Int(candle.volume.scale)
      guard missing >= 0, missing <= 18, let small = Int64(exactly: volume) else { return nil }
      volume = Self.product(small, PowersOfTen.int64(missing))
    }
    guard fits, volume <= plan.volumeLimit, volume >= -plan.volumeLimit else { return nil }
    self.high = high
    self.low = low
    self.close = close
    self.volume = volume
    price = Double(close) / header.pricePower
  }

  /// Any candle at the scales of the series, rounded where they are too coarse.
  init(rounding candle: CandleContent, header: SeriesHeader) {
    let scale = Int(header.priceScale)
    high = Int64(truncatingIfNeeded: DecimalShift.shift(candle.high, to: scale))
    low = Int64(truncatingIfNeeded: DecimalShift.shift(candle.low, to: scale))
    close = Int64(truncatingIfNeeded: DecimalShift.shift(candle.close, to: scale))
    volume = DecimalShift.shift(
      candle.volume.coefficient, from: Int(candle.volume.scale), to: Int(header.volumeScale))
    price = header.isRounded ? Double(candle.close) : Double(close) / header.pricePower
  }

  /// The same; nil if a limit is passed.
  init?(rounding candle: CandleContent, header: SeriesHeader, within plan: IndicatorPlan) {
    let scale = Int(header.priceScale)
    let prices = max(
      DecimalShift.shift(candle.high, to: scale).magnitude, DecimalShift.shift(candle.low, to: scale).magnitude,
      DecimalShift.shift(candle.close, to: scale).magnitude)
    self.init(rounding: candle, header: header)
    guard prices < UInt128(plan.priceLimit), volume.magnitude < plan.volumeLimit.magnitude else { return nil }
  }

  /// A recorded candle at the scales of the series.
  init(rounding candle: RecordedCandle, header: SeriesHeader) {
    let scale = Int(header.priceScale)
    high = Int64(truncatingIfNeeded: DecimalShift.shift(Int128(candle.high), from: Int(candle.highScale), to: scale))
    low = Int64(truncatingIfNeeded: DecimalShift.shift(Int128(candle.low), from: Int(candle.lowScale), to: scale))
    close = Int64(truncatingIfNeeded: DecimalShift.shift(Int128(candle.close), from: Int(candle.closeScale), to: scale))
    volume = DecimalShift.shift(candle.volume, from: Int(candle.volumeScale), to: Int(header.volumeScale))
    price = 0
  }

  @inline(__always) private static func raise(_ coefficient: inout Int64, from scale: UInt8, to wanted: UInt8) -> Bool {
    if scale == wanted { return true }
    guard scale < wanted, wanted <= 18 else { return false }
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: PowersOfTen.int64(Int(wanted &- scale)))
    coefficient = product
    return !overflow
  }

  @inline(__always) private static func product(_ a: Int64, _ b: Int64) -> Int128 {
    let (high, low) = a.multipliedFullWidth(by: b)
    return Int128(truncatingIfNeeded: high) << 64 | Int128(truncatingIfNeeded: low)
  }
}

/// Changes of scale of any size, for the paths that are seldom taken.
enum DecimalShift {
  static func shift(_ value: Fixed, to scale: Int) -> Int128 {
    shift(Int128(value.coefficient), from: Int(value.scale), to: scale)
  }

  /// The coefficient at another scale, rounded half away from zero; what does not fit becomes the largest number.
  static func shift(_ coefficient: Int128, from scale: Int, to wanted: Int) -> Int128 {
    if scale == wanted || coefficient == 0 { return coefficient }
    if wanted > scale {
      return raised(coefficient, by: wanted - scale) ?? (coefficient < 0 ? -Int128.max : Int128.max)
    }
    let digits = scale - wanted
    if digits > 36 { return 0 }
    let power = PowersOfTen.int128(digits)
    let (quotient, remainder) = coefficient.quotientAndRemainder(dividingBy: power)
    if remainder.magnitude >= (power / 2).magnitude { return quotient + (coefficient < 0 ? -1 : 1) }
    return quotient
  }

  /// The coefficient with more decimals; nil if it does not fit.
  static func raised(_ coefficient: Int128, by digits: Int) -> Int128? {
    if coefficient == 0 { return 0 }
    if digits > 36 { return nil }
    let (product, overflow) = coefficient.multipliedReportingOverflow(by: PowersOfTen.int128(digits))
    return overflow ? nil : product
  }

  /// The largest scale up to `scale` at which the value is within the limit.
  static func scale(_ coefficient: Int128, at own: Int, within limit: Int128, from scale: Int) -> Int {
    var candidate = scale
    while candidate > -38 {
      if candidate >= own {
        if let value = raised(coefficient, by: candidate - own), value.magnitude < limit.magnitude { break }
      } else if shift(coefficient, from: own, to: candidate).magnitude < limit.magnitude {
        break
      }
      candidate -= 1
    }
    return candidate
  }

  /// 10^exponent; a negative one is within half a unit in the last place.
  static func power(_ exponent: Int) -> Double {
    exponent >= 0 ? PowersOfTen.double(exponent) : 1 / PowersOfTen.double(-exponent)
  }
}
