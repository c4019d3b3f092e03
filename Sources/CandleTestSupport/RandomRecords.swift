import CandleCore
import CandleEngine

/// Records drawn from a seed, with the extremes of every field among them.
public struct RandomRecords: RandomNumberGenerator {
  public var state: UInt64

  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  public mutating func record() -> JournalRecord {
    switch next() % 8 {
    case 0: return .symbol(number(), name: name())
    case 1:
      let reason = GapReason.allCases.randomElement(using: &self)!
      return .listening(number(), Bool.random(using: &self) ? .began : .ended(reason), at: time())
    case 2: return .alive(at: time())
    case 3: return .committed(upTo: next() >> (next() % 64))
    default: return .tick(tick())
    }
  }

  public mutating func tick() -> JournalTick {
    let ids: [TradeID] = [
      .none, .number(next() >> (next() % 64)), TradeID(kind: .opaque, high: next(), low: next() >> (next() % 64)),
      .number(.max), TradeID(kind: .opaque, high: 0, low: 0), TradeID(kind: .opaque, high: .max, low: .max),
    ]
    let server = time()
    let near = server &* 1_000_000 &+ Int64(truncatingIfNeeded: next() % 4_000_000_000) &- 2_000_000_000
    return JournalTick(
      Tick(
        symbol: number(),
        time: Timestamp(nanoseconds: Bool.random(using: &self) ? near : Int64(bitPattern: next())),
        price: fixed(), volume: fixed(), id: ids.randomElement(using: &self)!,
        takerSide: [.unknown, .buy, .sell].randomElement(using: &self)!),
      venue: UInt32(truncatingIfNeeded: next() >> (next() % 64)), serverTime: server)
  }

  public mutating func number() -> Int32 {
    [0, 1, .max, .min, -1, Int32(next() % 100_000)].randomElement(using: &self)!
  }

  public mutating func time() -> Milliseconds {
    [0, .max, .min, -1, 1_700_000_000_000, Int64(bitPattern: next())].randomElement(using: &self)!
  }

  public mutating func fixed() -> Fixed {
    let coefficients: [Int64] = [
      0, 1, -1, 999_999_999_999_999_999, -999_999_999_999_999_999, Int64(next() >> (next() % 58 + 6)),
    ]
    let coefficient = coefficients.randomElement(using: &self)!
    return Fixed(coefficient: coefficient % 1_000_000_000_000_000_000, scale: UInt8(next() % 19))
  }

  public mutating func name() -> String {
    let letters = Array("ABCxyz019._:/-é漢")
    let length = [0, 1, 7, 60].randomElement(using: &self)!
    return String((0..<length).map { _ in letters.randomElement(using: &self)! })
  }
}
