import CandleCore
import CandleFeeds
import Testing

@Suite struct TextFormatTests {
  private func parse(
    _ text: String, timestamp: TimestampUnit = .auto, nonpositive: Bool = false, symbols: Bool = false
  ) -> TickBatch {
    var batch = TickBatch()
    let format = TextFormat(
      timestamp: timestamp, allowsNonpositivePrice: nonpositive, symbolColumn: symbols ? .first : .none(7))
    var copy = text
    _ = copy.withUTF8 { bytes in
      format.parse(UnsafeRawBufferPointer(bytes), into: &batch) { name in
        name.count == 3 ? .success(Int32(name[0])) : .failure(.unknownSymbol)
      }
    }
    return batch
  }

  @Test func aFrameHoldsManyLines() {
    let batch = parse("1700000000123,36500.25,0.5,77\r\n\n 1700000000 , 1e3 \n1700000000.5,5.,.25,abc")
    #expect(batch.ticks.map(\.time.milliseconds) == [1_700_000_000_123, 1_700_000_000_000, 1_700_000_000_500])
    #expect(batch.ticks.map(\.price) == ["36500.25", "1000", "5"])
    #expect(batch.ticks.map(\.volume) == ["0.5", "0", "0.25"])
    #expect(batch.ticks.map(\.id.kind) == [.number, .none, .opaque])
    #expect(batch.ticks[0].id == .number(77))
    #expect(batch.ticks.allSatisfy { $0.symbol == 7 })
    #expect(batch.lines == [1, 3, 4])
    #expect(batch.refused.isEmpty)
  }

  @Test func emptyVolumeIsZero() {
    #expect(parse("1700000000123,5,\n1700000000123,5,,9").ticks.map(\.volume) == ["0", "0"])
    #expect(parse("1700000000123,5,,9").ticks[0].id == .number(9))
  }

  @Test(arguments: [
    ("1700000000123", RefusalReason.malformed), ("1,2,3,4,5", .malformed), ("1,2,3,4,5,6,7,8", .malformed),
    ("x,2", .badTimestamp), (",2", .badTimestamp), ("-1,2", .badTimestamp), ("x,y", .badTimestamp),
    ("1700000000123,", .badPrice), ("1700000000123,nan", .badPrice), ("1700000000123,inf", .badPrice),
    ("1700000000123,0", .badPrice), ("1700000000123,-1", .badPrice), ("1700000000123,0.000", .badPrice),
    ("1700000000123,1,-1", .badVolume), ("1700000000123,1,x", .badVolume), ("1700000000123,1,nan,1", .badVolume),
    ("1700000000123,1.0000000000000000001", .precision), ("1700000000123,1,1e18", .precision),
    ("1700000000123,1234567890123456789", .precision), ("1700000000123,1e-19,x", .badVolume),
  ])
  func refusalsInTheirOrder(line: String, reason: RefusalReason) {
    let batch = parse("1700000000123,1\n\(line)\n1700000000124,2")
    #expect(batch.refused.map(\.reason) == [reason])
    #expect(batch.refused.map(\.line) == [2])
    #expect(batch.ticks.count == 2)
  }

  @Test func nonpositivePricesWhereTheyAreAllowed() {
    #expect(parse("1700000000123,-37.63\n1700000000123,0", nonpositive: true).ticks.map(\.price) == ["-37.63", "0"])
  }

  @Test func theSymbolStandsInFront() {
    let batch = parse(
      "BTC,1700000000123,5,1,2\nLONG,1700000000123,5\n,1700000000123,5\n-AB,1,5\nETH,1,2,3,4,5", symbols: true)
    #expect(batch.ticks.map(\.symbol) == [66])
    #expect(batch.refused.map(\.reason) == [.unknownSymbol, .malformed, .malformed, .malformed])
  }

  @Test func theRangeOfALineIsItsText() {
    let text = "  bad line \n1700000000123,5"
    let batch = parse(text)
    #expect(batch.refused[0].range == 2..<10)
    #expect(batch.ranges[0] == 12..<27)
  }

  @Test func fractionsOfMillisecondsAreFloored() {
    #expect(parse("1399155599999.9,1").ticks[0].time.milliseconds == 1_399_155_599_999)
  }

  @Test func anyBytesNeverTrap() {
    var state: UInt64 = 1
    let alphabet = Array("0123456789.,-+eE \n\rxé,,".utf8)
    for _ in 0..<20_000 {
      var bytes: [UInt8] = []
      for _ in 0..<40 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes.append(alphabet[Int(state >> 33) % alphabet.count])
      }
      var batch = TickBatch()
      _ = bytes.withUnsafeBytes {
        TextFormat(symbolColumn: .none(0)).parse($0, into: &batch) { _ in .failure(.malformed) }
      }
      #expect(batch.ticks.count + batch.refused.count <= 41)
    }
  }

  @Test func theLastLineNeedsNoNewlineAndAFrameMayBeEmpty() {
    #expect(parse("1700000000123,5\n1700000000124,6").ticks.count == 2)
    for text in ["", "\n", "\r\n\r\n", "  \n\t\n"] {
      let batch = parse(text)
      #expect(batch.ticks.isEmpty && batch.refused.isEmpty)
    }
  }

  @Test(arguments: [
    (TimestampUnit.seconds, "1700000000", Int64(1_700_000_000_000)), (.milliseconds, "1700000000", 1_700_000_000),
    (.microseconds, "1700000000123456", 1_700_000_000_123), (.nanoseconds, "1700000000123456789", 1_700_000_000_123),
    (.auto, "99999999999", 0), (.auto, "1700000000123", 1_700_000_000_123),
    (.auto, "01700000000123456", 1_700_000_000_123),
  ])
  func theUnitIsDeclaredOrGoesByTheDigits(unit: TimestampUnit, text: String, milliseconds: Int64) {
    let batch = parse("\(text),5", timestamp: unit)
    if milliseconds == 0 {
      #expect(batch.refused.map(\.reason) == [.badTimestamp], "past the year 2262")
    } else {
      #expect(batch.ticks.map(\.time.milliseconds) == [milliseconds])
    }
  }

  @Test(arguments: [
    ("36500.25", "36500.25"), (".5", "0.5"), ("5.", "5"), ("+5", "5"), ("1e-8", "0.00000001"), ("0005.500", "5.5"),
  ])
  func decimalsOfTheContract(text: String, price: String) {
    #expect(parse("1700000000123,\(text),\(text)").ticks.map(\.price.description) == [price])
    #expect(parse("1700000000123,\(text),\(text)").ticks.map(\.volume.description) == [price])
  }

  @Test func anUnknownSymbolIsTheLastReason() {
    let batch = parse("LONG,x,5\nLONG,1,x\nLONG,1,1,x\nLONG,1,1e20\nLONG,1,1", symbols: true)
    #expect(batch.refused.map(\.reason) == [.badTimestamp, .badPrice, .badVolume, .precision, .unknownSymbol])
  }

  @Test func aBatchIsFilledBehindWhatItHas() {
    var batch = TickBatch()
    for first in [1, 10] {
      _ = "1,5\nx\n".utf8.withContiguousStorageIfAvailable { bytes in
        TextFormat(symbolColumn: .none(1)).parse(UnsafeRawBufferPointer(bytes), into: &batch, firstLine: first) { _ in
          .failure(.malformed)
        }
      }
    }
    #expect(batch.lines == [1, 10] && batch.refused.map(\.line) == [2, 11])
    batch.clear()
    #expect(batch.ticks.isEmpty && batch.lines.isEmpty && batch.ranges.isEmpty && batch.refused.isEmpty)
  }
}
