import Testing

@testable import CandleConfiguration

@Suite struct UnitsTests {
  @Test(
    arguments: [
      ("0", 0), ("0s", 0), ("500ms", 500), ("1s", 1_000), ("5m", 300_000), ("2h", 7_200_000), ("90d", 7_776_000_000),
    ] as [(String, Int64)])
  func durations(text: String, milliseconds: Int64) {
    #expect(DurationText.parse(text) == milliseconds)
    #expect(DurationText.parse(DurationText.write(milliseconds)) == milliseconds)
  }

  @Test(arguments: [
    "", "1", "s", "1 s", "1S", "-1s", "+1s", "1.5s", "1h30m", "1w", "9223372036854775807d", "99999999999999999999s",
    "١s",
  ])
  func noDurations(text: String) { #expect(DurationText.parse(text) == nil) }

  @Test(arguments: [
    ("0", 0), ("4096", 4_096), ("64KiB", 65_536), ("4MiB", 4_194_304), ("1GiB", 1 << 30), ("2TiB", 2 << 40),
  ])
  func sizes(text: String, bytes: Int) {
    #expect(SizeText.parse(text) == bytes)
    #expect(SizeText.parse(SizeText.write(bytes)) == bytes)
  }

  @Test(arguments: ["", "KiB", "4MB", "4 MiB", "4mib", "-1", "1.5GiB", "9999999999TiB", "4Mi"])
  func noSizes(text: String) { #expect(SizeText.parse(text) == nil) }
}
