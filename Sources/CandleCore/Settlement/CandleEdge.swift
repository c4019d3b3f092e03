/// The first or the last tick of a candle, and what decides between ticks of the same instant.
///
/// The order of ticks is (event time as sent, trade id, arrival); ids decide only where every tick of that instant has
/// one. So an edge remembers both answers, by arrival and by id, as long as both are possible.
struct CandleEdge: Sendable, Equatable {
  var time: Timestamp
  /// Price of the tick that came first (open) or last (close) at `time`.
  var arrivalPrice: Fixed
  /// Price of the tick with the smallest (open) or largest (close) id at `time`.
  var idPrice: Fixed
  var id: UInt64
  /// Whether every tick at `time` has a numeric id.
  var ordered: Bool

  @inlinable init(_ tick: borrowing Tick) {
    time = tick.time
    arrivalPrice = tick.price
    idPrice = tick.price
    id = tick.id.low
    ordered = tick.id.kind == .number
  }

  /// A tick without an id.
  @inline(__always) init(unordered price: Fixed, at time: Timestamp) {
    self.time = time
    arrivalPrice = price
    idPrice = price
    id = 0
    ordered = false
  }

  var price: Fixed { ordered ? idPrice : arrivalPrice }

  /// A tick of the same instant arrived, at the open edge.
  mutating func joinOpen(_ tick: borrowing Tick) {
    guard ordered else { return }
    guard tick.id.kind == .number else {
      ordered = false
      return
    }
    if tick.id.low < id {
      id = tick.id.low
      idPrice = tick.price
    }
  }

  /// A tick of the same instant arrived, at the close edge.
  mutating func joinClose(_ tick: borrowing Tick) {
    arrivalPrice = tick.price
    guard ordered else { return }
    guard tick.id.kind == .number else {
      ordered = false
      return
    }
    if tick.id.low >= id {
      id = tick.id.low
      idPrice = tick.price
    }
  }
}
