import CandleCore

/// Candles of a random walk with two decimals, volumes with three.
enum SampleCandles {
  static func walk(_ count: Int) -> ContiguousArray<CandleContent> {
    var random = Random(state: 7)
    var price = 3_650_025
    return ContiguousArray(
      (0..<count).map { _ in
        let open = price
        price = max(10_000, price + random.below(2_001) - 1_000)
        let high = max(open, price) + random.below(1_000)
        let low = min(open, price) - random.below(1_000)
        let volume = 1 + random.below(1_000_000)
        return CandleContent(
          open: cents(open), high: cents(high), low: cents(low), close: cents(price),
          volume: FixedSum(coefficient: Int128(volume), scale: 3),
          turnover: FixedSum(coefficient: Int128(volume) * Int128(price), scale: 5), takerBuyVolume: nil,
          ticks: Int64(1 + random.below(900)))
      })
  }

  private static func cents(_ value: Int) -> Fixed { Fixed(coefficient: Int64(value), scale: 2) }
}
