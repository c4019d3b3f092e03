import CandleCore

/// Numbers between their exact type and a column: an integer over a unit where it fits into 64 bits, else decimal text.
enum StoredDecimal {
  /// The coefficient at the smallest scale.
  /// - Returns: nil if it needs more than 64 bits or 18 decimals.
  static func small(_ value: FixedSum) -> (coefficient: Int64, scale: UInt8)? {
    let normal = value.normalized
    guard normal.scale <= 18, let coefficient = Int64(exactly: normal.coefficient) else { return nil }
    return (coefficient, normal.scale)
  }

  static func unit(_ scale: UInt8) -> Int64 { PowersOfTen.int64(Int(scale)) }

  /// - Returns: nil if `unit` is no power of ten.
  static func scale(unit: Int64) -> UInt8? {
    guard unit > 0 else { return nil }
    let scale = DecimalText.digitCount(UInt64(unit)) - 1
    return PowersOfTen.int64(scale) == unit ? UInt8(scale) : nil
  }

  /// Reads what `DecimalText` wrote: sign, digits, at most one point, up to 128 bits and 36 decimals.
  static func sum(_ text: UnsafeRawBufferPointer) -> FixedSum? {
    var coefficient: Int128 = 0
    var point = -1
    let negative = text.first == UInt8(ascii: "-")
    let start = negative ? 1 : 0
    guard text.count > start else { return nil }
    for at in start..<text.count {
      let digit = text[at] &- 48
      if digit < 10 {
        let (tenfold, overflow) = coefficient.multipliedReportingOverflow(by: 10)
        // Downwards, since the negative range is the larger one.
        let (next, borrow) = tenfold.subtractingReportingOverflow(Int128(digit))
        if overflow || borrow { return nil }
        coefficient = next
      } else if text[at] == UInt8(ascii: "."), point < 0 {
        point = at
      } else {
        return nil
      }
    }
    let scale = point < 0 ? 0 : text.count - 1 - point
    guard scale <= 36 else { return nil }
    if !negative {
      guard coefficient != .min else { return nil }
      coefficient = -coefficient
    }
    return FixedSum(coefficient: coefficient, scale: UInt8(scale))
  }
}

extension Statement {
  func bind(_ index: Int32, decimal value: FixedSum) {
    withUnsafeTemporaryAllocation(byteCount: DecimalText.maximumLength, alignment: 1) { buffer in
      let length = DecimalText.write(value, to: buffer.baseAddress!)
      bind(index, text: UnsafeRawBufferPointer(rebasing: buffer[..<length]))
    }
  }

  /// Four prices at their smallest common scale in the order open, high, low, close, and the unit behind them.
  func bind(_ index: Int32, prices content: CandleContent) {
    var scale = max(max(content.open.scale, content.high.scale), max(content.low.scale, content.close.scale))
    if var open = content.open.coefficient(atScale: scale), var high = content.high.coefficient(atScale: scale),
      var low = content.low.coefficient(atScale: scale), var close = content.close.coefficient(atScale: scale)
    {
      while scale > 0, close % 10 == 0, open % 10 == 0, high % 10 == 0, low % 10 == 0 {
        open /= 10
        high /= 10
        low /= 10
        close /= 10
        scale -= 1
      }
      bind(index, open)
      bind(index + 1, high)
      bind(index + 2, low)
      bind(index + 3, close)
      bind(index + 4, StoredDecimal.unit(scale))
    } else {
      bind(index, decimal: FixedSum(content.open))
      bind(index + 1, decimal: FixedSum(content.high))
      bind(index + 2, decimal: FixedSum(content.low))
      bind(index + 3, decimal: FixedSum(content.close))
      bind(index + 4, 1)
    }
  }

  /// Volume, taker buy volume and their common unit.
  func bind(_ index: Int32, volumes content: CandleContent) {
    let taker = content.takerBuyVolume
    if let volume = StoredDecimal.small(content.volume), let part = StoredDecimal.small(taker ?? .zero) {
      let scale = max(volume.scale, part.scale)
      if let whole = Fixed(coefficient: volume.coefficient, scale: volume.scale).coefficient(atScale: scale),
        let bought = Fixed(coefficient: part.coefficient, scale: part.scale).coefficient(atScale: scale)
      {
        bind(index, whole)
        bind(index + 1, taker == nil ? nil : bought)
        bind(index + 2, StoredDecimal.unit(scale))
        return
      }
    }
    bind(index, decimal: content.volume)
    if let taker { bind(index + 1, decimal: taker) } else { bindNull(index + 1) }
    bind(index + 2, 1)
  }

  /// Turnover and its unit.
  func bind(_ index: Int32, turnover: FixedSum?) {
    if let turnover {
      if let small = StoredDecimal.small(turnover) {
        bind(index, small.coefficient)
        bind(index + 1, StoredDecimal.unit(small.scale))
        return
      }
      bind(index, decimal: turnover)
    } else {
      bindNull(index)
    }
    bind(index + 1, 1)
  }
}
