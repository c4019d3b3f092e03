import CandleCore
import Testing

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
