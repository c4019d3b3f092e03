import Testing

@testable import CandleConfiguration

@Suite struct TimeTextTests {
  @Test(
    arguments: [
      ("0", 0), ("1700000000123", 1_700_000_000_123), ("1970-01-01", 0), ("2000-02-29", 951_782_400_000),
      ("2024-12-31", 1_735_603_200_000), ("2100-03-01", 4_107_542_400_000), ("2023-11-14T22:13Z", 1_699_999_980_000),
      ("2023-11-14T22:13:20Z", 1_700_000_000_000),
    ] as [(String, Int64)])
  func moments(text: String, milliseconds: Int64) { #expect(TimeText.parse(text) == milliseconds) }

  @Test(arguments: [
    "", "-1", "1.5", "2100-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "1969-12-31", "24-01-01", "2024-1-01",
    "2024-01-01T24:00Z",
    "2024-01-01T00:60Z", "2024-01-01 00:00Z", "2024-01-01T00:00:00", "2024-01-01T00:00:60Z", "99999999999999999999",
    "20é4-01-01",
  ])
  func noMoments(text: String) { #expect(TimeText.parse(text) == nil) }
}
