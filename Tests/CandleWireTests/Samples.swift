import CandleCore
import CandleWire

/// The candle of the contract's example.
let exampleCandle = Candle(
  openTime: 1_700_000_040_000,
  content: CandleContent(
    open: "36500.25", high: "36510", low: "36499.5", close: "36505.75", volume: FixedSum("12.345"),
    turnover: FixedSum("450658.31"), takerBuyVolume: nil, ticks: 482),
  origin: .ticks, complete: true, settlement: Settlement(revision: 0, settledBy: .tick, version: 90_212))

extension Frame {
  /// The payload lives no longer than the frame.
  var text: String { withExtendedLifetime(self) { String(decoding: payload, as: UTF8.self) } }
}

func written(_ body: (ByteWriter) -> Void) -> String {
  let out = ByteWriter(capacity: 1)
  body(out)
  return out.string
}
