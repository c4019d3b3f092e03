/// Which side crossed the spread.
public enum TakerSide: UInt8, Sendable {
  case unknown, buy, sell
}

/// The identity of a trade at its venue.
public struct TradeID: Hashable, Sendable {
  public enum Kind: UInt8, Sendable {
    case none
    /// A number: identity, and order within one instant.
    case number
    /// A text that is no number (a UUID for instance), hashed to 128 bits: identity only, no order.
    case opaque
  }

  public let kind: Kind
  public let high: UInt64
  public let low: UInt64

  @inlinable public init(kind: Kind, high: UInt64, low: UInt64) {
    self.kind = kind
    self.high = high
    self.low = low
  }

  public static let none = TradeID(kind: .none, high: 0, low: 0)

  @inlinable public static func number(_ value: UInt64) -> TradeID { TradeID(kind: .number, high: 0, low: value) }

  /// Reads an id: up to 19 digits are a number, any other text is hashed, an empty one is none.
  @inlinable public static func scan(_ text: UnsafeRawBufferPointer) -> TradeID {
    if text.isEmpty { return .none }
    if text.count <= 19 {
      var value: UInt64 = 0
      var at = 0
      while at < text.count {
        let digit = text[at] &- 48
        if digit >= 10 { return hashed(text) }
        value = value &* 10 &+ UInt64(digit)
        at &+= 1
      }
      return .number(value)
    }
    return hashed(text)
  }

  /// Two FNV-1a hashes (64 bits, the standard and a shifted offset basis) over the text.
  @usableFromInline static func hashed(_ text: UnsafeRawBufferPointer) -> TradeID {
    var low: UInt64 = 0xcbf2_9ce4_8422_2325
    var high: UInt64 = 0x9ae1_6a3b_2f90_404f
    for byte in text {
      low = (low ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
      high = ((high ^ UInt64(byte)) &* 0x9e37_79b9_7f4a_7c15)
      high ^= high >> 29
    }
    return TradeID(kind: .opaque, high: high, low: low)
  }
}

/// One trade or price of a symbol.
public struct Tick: Sendable {
  /// Number of the symbol in the process that interned it.
  public var symbol: Int32
  public var takerSide: TakerSide
  /// Event time as the source sent it.
  public var time: Timestamp
  public var price: Fixed
  /// 0 if the source has none.
  public var volume: Fixed
  public var id: TradeID

  @inlinable public init(
    symbol: Int32 = 0, time: Timestamp, price: Fixed, volume: Fixed = .zero, id: TradeID = .none,
    takerSide: TakerSide = .unknown
  ) {
    self.symbol = symbol
    self.takerSide = takerSide
    self.time = time
    self.price = price
    self.volume = volume
    self.id = id
  }
}
