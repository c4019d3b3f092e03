import CandleCore

/// The commonest line of the text format, `1700000000123,36500.25,0.5`, read without a loop: thirteen digits of
/// milliseconds, then a price and a volume with at most seven digits on either side of the point.
///
/// Any other line is left to `PlainLine`, which reads each of these the same way.
struct ShortLine {
  /// Bytes from the beginning of a line that are looked at, whatever its length.
  static let reach = 48
  /// The last millisecond whose nanoseconds fit into 64 bits.
  private static let lastMilliseconds: UInt64 = 9_223_372_036_854

  let nanoseconds: Int64
  let price: Fixed
  let volume: Fixed
  /// Bytes up to its end, which is a line feed.
  let length: Int

  /// - Parameter text: `reach` bytes that may be read.
  /// - Returns: nil if the line has another form.
  @inline(__always)
  init?(_ text: UnsafeRawPointer) {
    let high = Self.word(text)
    let low = Self.word(text + 8)
    guard Self.digitCount(high) == 8, Self.digitCount(low) == 5, Self.byte(low, 5) == Self.comma else { return nil }
    let milliseconds = Self.number(high) &* 100_000 &+ Self.number(low &<< 24)
    guard milliseconds <= Self.lastMilliseconds else { return nil }
    var at = 14
    guard let price = Self.decimal(text, &at), text.load(fromByteOffset: at, as: UInt8.self) == UInt8(ascii: ",") else {
      return nil
    }
    at &+= 1
    guard let volume = Self.decimal(text, &at), text.load(fromByteOffset: at, as: UInt8.self) == 10 else { return nil }
    nanoseconds = Int64(bitPattern: milliseconds) &* 1_000_000
    self.price = price
    self.volume = volume
    length = at
  }

  @inline(__always)
  func tick(symbol: Int32) -> Tick {
    Tick(symbol: symbol, time: Timestamp(nanoseconds: nanoseconds), price: price, volume: volume)
  }

  /// Characters as `word` leaves them.
  private static let comma = UInt64(UInt8(ascii: ",") ^ 0x30)
  private static let point = UInt64(UInt8(ascii: ".") ^ 0x30)

  /// Eight characters, the first in the lowest byte; digits have become their value.
  @inline(__always)
  private static func word(_ text: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: text.loadUnaligned(as: UInt64.self)) ^ 0x3030_3030_3030_3030
  }

  @inline(__always) private static func byte(_ word: UInt64, _ index: Int) -> UInt64 {
    word &>> UInt64(truncatingIfNeeded: index &* 8) & 0xff
  }

  /// Digits before the first other character; 8 if there is none.
  @inline(__always) private static func digitCount(_ word: UInt64) -> Int {
    // A carry only disturbs what comes behind the first other character.
    let others = ((word &+ 0x0606_0606_0606_0606) | word) & 0xf0f0_f0f0_f0f0_f0f0
    return others.trailingZeroBitCount &>> 3
  }

  /// The last `count` of eight digits are the first of the word; before them are zeros. `count` is not 0.
  @inline(__always) private static func aligned(_ word: UInt64, _ count: Int) -> UInt64 {
    word &<< UInt64(truncatingIfNeeded: 64 &- 8 &* count)
  }

  /// The number of eight digits: pairs, then fours, then all.
  @inline(__always) private static func number(_ digits: UInt64) -> UInt64 {
    let pairs = digits &* 10 &+ (digits &>> 8)
    let high = (pairs & 0x0000_00ff_0000_00ff) &* 0x000f_4240_0000_0064
    let low = ((pairs &>> 16) & 0x0000_00ff_0000_00ff) &* 0x0000_2710_0000_0001
    return (high &+ low) &>> 32
  }

  @inline(__always)
  private static func decimal(_ text: UnsafeRawPointer, _ at: inout Int) -> Fixed? {
    let first = word(text + at)
    let whole = digitCount(first)
    guard whole < 8 else { return nil }
    guard byte(first, whole) == point else {
      guard whole > 0 else { return nil }
      at &+= whole
      return Fixed(coefficient: Int64(bitPattern: number(aligned(first, whole))), scale: 0)
    }
    let second = word(text + at + whole + 1)
    let decimals = digitCount(second)
    let digits = whole &+ decimals
    guard decimals < 8, digits > 0 else { return nil }
    at &+= digits &+ 1
    let value: UInt64
    if digits <= 8 {
      // The point is taken out, so that one conversion does for both sides.
      let shift = UInt64(truncatingIfNeeded: whole &* 8)
      value = number(aligned((first & ~(~0 &<< shift)) | second &<< shift, digits))
    } else {
      value =
        number(aligned(first, whole)) &* UInt64(bitPattern: PowersOfTen.int64(decimals))
        &+ number(aligned(second, decimals))
    }
    return Fixed(coefficient: Int64(bitPattern: value), scale: UInt8(truncatingIfNeeded: decimals))
  }
}
