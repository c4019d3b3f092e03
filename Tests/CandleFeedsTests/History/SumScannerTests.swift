import CandleCore
import Testing

@testable import CandleFeeds

@Suite struct SumScannerTests {
  private func scan(_ text: String, scale: Int = 36) -> SumScanner.Outcome {
    Array(text.utf8).withUnsafeBytes { SumScanner.scan($0, maximumScale: scale) }
  }

  @Test func asManyDigitsAsASumHas() {
    #expect(scan("1.5") == .value(FixedSum(coefficient: 15, scale: 1)))
    #expect(scan("12345678901234567890.25") == .value(FixedSum(coefficient: 1_234_567_890_123_456_789_025, scale: 2)))
    #expect(scan("-0.000000000000000000000000000000000001") == .value(FixedSum(coefficient: -1, scale: 36)))
    #expect(scan("1e36") == .value(FixedSum(coefficient: PowersOfTen.int128(36), scale: 0)))
    #expect(scan("+12.5e-30") == .value(FixedSum(coefficient: 125, scale: 31)))
    #expect(
      scan("1" + String(repeating: "0", count: 30)) == .value(FixedSum(coefficient: PowersOfTen.int128(30), scale: 0)))
    #expect(
      scan(String(repeating: "9", count: 38))
        == .value(FixedSum(coefficient: Int128(String(repeating: "9", count: 38))!, scale: 0)))
    #expect(scan("1." + String(repeating: "0", count: 60)) == .value("1"))
  }

  @Test func whatDoesNotFitIsSaid() {
    for text in [String(repeating: "9", count: 39), "1e-37", "1e38", "1e37", "1e999999999999", "1e-999999999999"] {
      #expect(scan(text) == .precision, "\(text)")
    }
    #expect(scan("0.0000000000000000001", scale: 18) == .precision)
    for text in ["", "nan", "1e", "1.2.3", "--1", "1x", "0x10", "."] { #expect(scan(text) == .malformed, "\(text)") }
  }
}
