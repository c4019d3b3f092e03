/// What a candle is: the fold of its ticks, the same whatever the order in which they arrive (but for equal times
/// without ids). When it closes is the business of `Settler`.
public struct CandleBuilder: Sendable, Equatable {
  var open: CandleEdge
  var close: CandleEdge
  public private(set) var high: Fixed
  public private(set) var low: Fixed
  public private(set) var volume: FixedSum
  var turnover: FixedSum
  var turnoverFits: Bool
  var takerBuyVolume: FixedSum
  /// Ticks whose side is known.
  var sidedTicks: Int64
  public internal(set) var ticks: Int64
  /// False where a history source did not say how many ticks there were; `ticks` is not 0 then.
  var countsTicks: Bool

  /// Without ticks: its prices mean nothing until the first one.
  static let empty: CandleBuilder = {
    let nothing = CandleEdge(Tick(time: Timestamp(nanoseconds: 0), price: .zero))
    return CandleBuilder(
      open: nothing, close: nothing, high: .zero, low: .zero, volume: .zero, turnover: .zero, turnoverFits: true,
      takerBuyVolume: .zero, sidedTicks: 0, ticks: 0, countsTicks: true)
  }()

  public var isEmpty: Bool { ticks == 0 }
  public var closePrice: Fixed { close.price }
  /// Event time of the newest tick.
  public var newest: Timestamp { close.time }

  /// Whether the volume sum still fits with this tick.
  func fits(_ tick: borrowing Tick) -> Bool {
    // 2^126 leaves room for any tick at the same scale.
    if tick.volume.scale == volume.scale, volume.coefficient < 1 << 126 { return true }
    var sum = volume
    return sum.add(tick.volume)
  }

  /// Whether the volume stays far from the limit, whatever its scale becomes.
  var leavesRoom: Bool {
    guard let finest = volume.coefficient(atScale: 18) else { return false }
    return finest < 1 << 120
  }

  /// Adds a tick of the candle's interval whose volume fits.
  /// - Parameter turnover: price × volume of the tick, worked out once for all timeframes.
  mutating func add(_ tick: borrowing Tick, turnover product: FixedSum) {
    if ticks == 0 {
      start(tick, turnover: product)
      return
    }
    if tick.time > close.time {
      close = CandleEdge(tick)
    } else if tick.time == close.time {
      close.joinClose(tick)
    }
    if tick.time < open.time {
      open = CandleEdge(tick)
    } else if tick.time == open.time {
      open.joinOpen(tick)
    }
    if tick.price > high { high = tick.price }
    if tick.price < low { low = tick.price }
    _ = volume.add(tick.volume)
    if turnoverFits { turnoverFits = turnover.add(product) }
    ticks &+= 1
    if tick.takerSide != .unknown {
      sidedTicks &+= 1
      if tick.takerSide == .buy { _ = takerBuyVolume.add(tick.volume) }
    }
  }

  /// Adds a tick without an id to a candle that has some; its volume fits.
  @inline(__always)
  mutating func join(_ tick: UnsafePointer<Tick>) {
    let time = tick.pointee.time
    let price = tick.pointee.price
    let size = tick.pointee.volume
    if time > close.time {
      close = CandleEdge(unordered: price, at: time)
    } else if time == close.time {
      close.joinClose(tick.pointee)
    }
    if time <= open.time { joinOpen(tick.pointee) }
    if price > high { high = price }
    if price < low { low = price }
    _ = volume.add(small: size.coefficient, scale: size.scale)
    if turnoverFits {
      let (product, overflow) = price.coefficient.multipliedReportingOverflow(by: size.coefficient)
      turnoverFits =
        overflow
        ? turnover.add(FixedSum.product(price, size)) : turnover.add(small: product, scale: price.scale &+ size.scale)
    }
    ticks &+= 1
    if tick.pointee.takerSide != .unknown { joinSide(tick.pointee) }
  }

  @inline(never)
  private mutating func joinOpen(_ tick: borrowing Tick) {
    if tick.time < open.time { open = CandleEdge(tick) } else { open.joinOpen(tick) }
  }

  @inline(never)
  private mutating func joinSide(_ tick: borrowing Tick) {
    sidedTicks &+= 1
    if tick.takerSide == .buy { _ = takerBuyVolume.add(tick.volume) }
  }

  private mutating func start(_ tick: borrowing Tick, turnover product: FixedSum) {
    let edge = CandleEdge(tick)
    open = edge
    close = edge
    high = tick.price
    low = tick.price
    volume = FixedSum(tick.volume)
    turnover = product
    turnoverFits = true
    takerBuyVolume = tick.takerSide == .buy ? FixedSum(tick.volume) : .zero
    sidedTicks = tick.takerSide == .unknown ? 0 : 1
    ticks = 1
    countsTicks = true
  }

  mutating func restore(
    high: Fixed, low: Fixed, volume: FixedSum, turnover: FixedSum?, takerBuyVolume: FixedSum?, ticks: Int64?
  ) {
    self.high = high
    self.low = low
    self.volume = volume
    self.turnover = turnover ?? .zero
    turnoverFits = turnover != nil
    self.takerBuyVolume = takerBuyVolume ?? .zero
    countsTicks = ticks != nil
    self.ticks = ticks ?? 1
    sidedTicks = takerBuyVolume == nil ? 0 : self.ticks
  }

  /// Extremes and sums of another builder.
  mutating func add(_ part: CandleBuilder) {
    if part.high > high { high = part.high }
    if part.low < low { low = part.low }
    _ = volume.add(part.volume)
    turnoverFits = turnoverFits && part.turnoverFits && turnover.add(part.turnover)
    _ = takerBuyVolume.add(part.takerBuyVolume)
    sidedTicks &+= part.sidedTicks
    ticks &+= part.ticks
    countsTicks = countsTicks && part.countsTicks
  }

  /// Prices and sums; only for a candle with ticks.
  public var content: CandleContent {
    CandleContent(
      open: open.price, high: high, low: low, close: close.price, volume: volume,
      turnover: turnoverFits ? turnover : nil, takerBuyVolume: sidedTicks == ticks ? takerBuyVolume : nil,
      ticks: countsTicks ? ticks : nil)
  }
}

extension CandleBuilder {
  /// Back to no ticks; what it held is overwritten by the first one.
  mutating func clear() { ticks = 0 }
}
