import CandleCore
import Testing

@Suite struct TradeIDTests {
  private func scan(_ text: String) -> TradeID {
    var copy = text
    return copy.withUTF8 { TradeID.scan(UnsafeRawBufferPointer($0)) }
  }

  @Test func anEmptyIDIsNone() { #expect(scan("") == .none) }

  @Test(arguments: [
    ("0", UInt64(0)), ("311112", 311_112), ("007", 7), ("9999999999999999999", 9_999_999_999_999_999_999),
  ])
  func upToNineteenDigitsAreANumber(text: String, number: UInt64) { #expect(scan(text) == .number(number)) }

  @Test(arguments: ["12345678901234567890", "abc", "-1", "1.5", " 1", "b3f1c6b2-0d3c-4f6e-9a1c-2a7b8d6e5f40"])
  func anyOtherTextIsAnIdentityWithoutOrder(text: String) {
    #expect(scan(text).kind == .opaque)
    #expect(scan(text) == scan(text))
  }

  @Test func differentTextsAreDifferentIdentities() {
    var seen: Set<TradeID> = []
    for number in 0..<50_000 { seen.insert(scan("t-\(number)")) }
    #expect(seen.count == 50_000)
    #expect(Set(seen.map(\.low)).count == 50_000 && Set(seen.map(\.high)).count == 50_000)
  }
}
