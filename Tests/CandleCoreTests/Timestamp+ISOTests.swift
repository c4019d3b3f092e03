import CandleCore
import Testing

@Suite struct TimestampISOTests {
  private func scan(_ text: String) -> Int64? {
    var copy = text
    return copy.withUTF8 { Timestamp.scan(iso: UnsafeRawBufferPointer($0)) }?.nanoseconds
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2021-04-17T16:43:30.244075Z", 1_618_677_810_244_075_000),
    ("2021-07-13T11:07:53.658Z", 1_626_174_473_658_000_000),
    ("2000-02-29T23:59:59.9999999999Z", 951_868_799_999_999_999),
    ("2023-11-14T23:14:00+01:00", 1_700_000_040_000_000_000), ("2023-11-14 22:14:00", 1_700_000_040_000_000_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000_000_000), ("2100-03-01T00:00:00z", 4_107_542_400_000_000_000),
  ])
  func momentsAreRead(text: String, nanoseconds: Int64) { #expect(scan(text) == nanoseconds) }

  @Test(arguments: [
    "", "2021-04-17", "2021-04-17T16:43:30.Z", "2021-04-31T00:00:00Z", "2021-02-29T00:00:00Z", "2021-13-01T00:00:00Z",
    "2021-04-17T24:00:00Z", "2021-04-17T16:60:30Z", "2021-04-17T16:43:30x", "2021-04-17T16:43:30ZZ",
    "1969-12-31T23:59:59Z", "2300-01-01T00:00:00Z", "2021-04-17T16:43:30+1:00", "20x1-04-17T16:43:30Z",
    "2021/04/17T16:43:30Z", "2021-04-17T16:43:30+01:0",
  ])
  func otherTextsAreRefused(text: String) { #expect(scan(text) == nil) }

  @Test func eitherFormOfAMomentIsTold() {
    func moment(_ text: String, _ unit: TimestampUnit) -> Int64? {
      var copy = text
      return copy.withUTF8 { Timestamp.scan(moment: UnsafeRawBufferPointer($0), unit: unit) }?.milliseconds
    }
    #expect(moment("2023-11-14T22:14:00.5Z", .milliseconds) == 1_700_000_040_500)
    #expect(moment("1700000040500", .milliseconds) == 1_700_000_040_500)
    #expect(moment("1700000040.5", .seconds) == 1_700_000_040_500)
  }
}
