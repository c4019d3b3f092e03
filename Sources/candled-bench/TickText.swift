/// Recorded ticks as text: `[SYMnnnn,]milliseconds,price,volume` lines of a random walk, the same for the same numbers.
struct TickText {
  /// All lines, each with its end.
  private(set) var bytes: ContiguousArray<UInt8> = []
  /// Where each line begins, and the end of the last.
  private(set) var starts: ContiguousArray<Int> = []

  /// - Parameters:
  ///   - symbols: 1 leaves the symbol out.
  ///   - ticksPerSecond: of event time, all symbols together, less than 1 000.
  init(ticks: Int, symbols: Int = 1, ticksPerSecond: Int = 20) {
    var random = Random(state: 42)
    var prices = ContiguousArray(repeating: 3_650_025, count: symbols)
    for index in 1..<max(symbols, 2) where index < symbols { prices[index] = 1_000 + random.below(5_000_000) }
    var time = 1_700_000_000_123
    bytes.reserveCapacity(ticks * 40)
    starts.reserveCapacity(ticks + 1)
    for _ in 0..<ticks {
      starts.append(bytes.count)
      var symbol = 0
      if symbols > 1 {
        // Few symbols are busy, most are not: density is 1/√rank.
        let share = Double(random.below(1 << 30)) / Double(1 << 30)
        symbol = Int(share * share * Double(symbols))
        bytes.append(contentsOf: "SYM".utf8)
        write(symbol, digits: 4)
        bytes.append(UInt8(ascii: ","))
      }
      prices[symbol] = max(100, prices[symbol] + random.below(201) - 100)
      write(time)
      bytes.append(UInt8(ascii: ","))
      write(prices[symbol] / 100)
      bytes.append(UInt8(ascii: "."))
      write(prices[symbol] % 100, digits: 2)
      bytes.append(UInt8(ascii: ","))
      let decimals = 3 + random.below(3)
      let unit = decimals == 3 ? 1_000 : decimals == 4 ? 10_000 : 100_000
      let volume = 1 + random.below(8 * unit)
      write(volume / unit)
      bytes.append(UInt8(ascii: "."))
      write(volume % unit, digits: decimals)
      bytes.append(UInt8(ascii: "\n"))
      time += 1 + random.below(2_000 / ticksPerSecond - 1)
    }
    starts.append(bytes.count)
  }

  private mutating func write(_ value: Int, digits: Int = 0) {
    let text = String(value)
    for _ in 0..<max(0, digits - text.utf8.count) { bytes.append(UInt8(ascii: "0")) }
    bytes.append(contentsOf: text.utf8)
  }
}

/// SplitMix64.
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// 0 ..< limit.
  mutating func below(_ limit: Int) -> Int { limit <= 1 ? 0 : Int(next() % UInt64(limit)) }
}
