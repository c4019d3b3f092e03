import CandleCore
import Testing

@Suite struct FixedTests {
  @Test(arguments: [
    ("36500.25", "36500.25"), (".5", "0.5"), ("5.", "5"), ("+5", "5"), ("-5", "-5"), ("1e-8", "0.00000001"),
    ("00002.400", "2.4"), ("0.00002400", "0.000024"), ("12123500811184481.00", "12123500811184481"), ("1E3", "1000"),
    ("0", "0"), ("-0.0", "0"), ("0.000000000000000001", "0.000000000000000001"),
    ("999999999999999999", "999999999999999999"), ("1000.0000000000000000000000", "1000"),
    ("0000000000000000000000000000001", "1"), ("100000000000000000e-17", "1"),
  ])
  func sameValueOutAsIn(input: String, output: String) {
    #expect(Fixed(input)?.description == output)
  }

  @Test(arguments: ["", ".", "+", "-", "e5", "1e", "1e+", "nan", "NaN", "inf", "1.2.3", "1,5", " 1", "1 ", "0x10", "١"])
  func textThatIsNoNumberIsMalformed(text: String) {
    #expect(scan(text) == .malformed)
  }

  @Test(arguments: [
    "1000000000000000000", "1e18", "0.0000000000000000001", "1234567890.123456789", "1e-19", "1e400",
    "1.0000000000000000001",
  ])
  func whatDoesNotFitIsPrecision(text: String) {
    #expect(scan(text) == .precision)
  }

  @Test func comparesByValueWhateverTheScale() {
    #expect(Fixed("1.50") == Fixed("1.5"))
    #expect(Fixed(coefficient: 150, scale: 2).hashValue == Fixed(coefficient: 15, scale: 1).hashValue)
    #expect(Fixed("999999999999999999") > Fixed("0.000000000000000001"))
    #expect(Fixed("-1") < Fixed("0.5"))
  }

  private func scan(_ text: String) -> DecimalScanner.Outcome {
    var copy = text
    return copy.withUTF8 { DecimalScanner.scan(UnsafeRawBufferPointer($0)) }
  }
}

@Suite struct FixedSumTests {
  @Test func aMillionTenthsAreOneHundredThousand() {
    var sum = FixedSum.zero
    for _ in 0..<1_000_000 { _ = sum.add("0.1") }
    #expect(sum.description == "100000")
  }

  @Test func scalesMixExactly() {
    var sum = FixedSum("12123500811184481.00")
    let fits = sum.add("0.00000001")
    #expect(fits)
    #expect(sum.description == "12123500811184481.00000001")
  }

  @Test func overflowIsReportedAndChangesNothing() {
    var sum = FixedSum(coefficient: .max, scale: 18)
    let before = sum
    let fits = sum.add("0.000000000000000001")
    #expect(!fits)
    #expect(sum == before)
  }

  @Test func widestProductIsExact() {
    let sum = FixedSum.product("999999999999999999", "0.999999999999999999")
    #expect(sum.description == "999999999999999998.000000000000000001")
    #expect(
      FixedSum.product("0.000000000000000001", "0.000000000000000001").description
        == "0.000000000000000000000000000000000001")
    #expect(
      FixedSum.product("-999999999999999999", "999999999999999999").description
        == "-999999999999999998000000000000000001")
    #expect(Double(FixedSum.product("999999999999999999", "2")) == 1999999999999999998.0)
  }
}

@Suite struct TimestampTests {
  @Test(arguments: [
    ("1700000000", TimestampUnit.auto, Int64(1_700_000_000_000_000_000)),
    ("1700000000.123", .auto, 1_700_000_000_123_000_000),
    ("1399155590028.4", .auto, 1_399_155_590_028_400_000), ("1700000000123456", .auto, 1_700_000_000_123_456_000),
    ("1700000000123456789", .auto, 1_700_000_000_123_456_789),
    ("1700000000.1234567899", .auto, 1_700_000_000_123_456_789),
    ("100", .milliseconds, 100_000_000), ("1700000000123", .milliseconds, 1_700_000_000_123_000_000),
    ("5", .nanoseconds, 5),
  ])
  func unitAndFraction(text: String, unit: TimestampUnit, nanoseconds: Int64) {
    #expect(scan(text, unit)?.nanoseconds == nanoseconds)
  }

  @Test(arguments: ["", ".5", "-1", "abc", "1e9", "17000000001234567890", "99999999999", "1.2.3"])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(scan(text, .auto) == nil)
  }

  @Test func millisecondsAreFlooredNeverRounded() {
    #expect(scan("1399155599999.9", .auto)?.milliseconds == 1_399_155_599_999)
  }

  private func scan(_ text: String, _ unit: TimestampUnit) -> Timestamp? {
    var copy = text
    return copy.withUTF8 { Timestamp.scan(UnsafeRawBufferPointer($0), unit: unit) }
  }
}

@Suite struct TimeframeTests {
  @Test func weeksStartOnMonday() {
    // 2024-01-01 was a Monday.
    #expect(Timeframe.W1.openTime(of: 1_704_067_200_000) == 1_704_067_200_000)
    #expect(Timeframe.W1.openTime(of: 1_704_067_199_999) == 1_704_067_200_000 - 604_800_000)
  }

  @Test func aMomentOnTheBoundaryOpensTheNewCandle() {
    #expect(Timeframe.M1.openTime(of: 120_000) == 120_000)
    #expect(Timeframe.M1.openTime(of: 119_999) == 60_000)
    #expect(Timeframe.M5.nextBoundary(after: 300_000) == 600_000)
  }

  @Test func namesRoundTrip() {
    for timeframe in Timeframe.allCases { #expect(Timeframe(timeframe.name) == timeframe) }
    #expect(Timeframe("M2") == nil)
    #expect(Timeframe.M3.divides(.M15) && !Timeframe.M3.divides(.M5) && Timeframe.D1.divides(.W1))
  }
}
