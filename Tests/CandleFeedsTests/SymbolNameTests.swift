import CandleFeeds
import Testing

@Suite struct SymbolNameTests {
  @Test(arguments: ["A", "0", "btcusdt", "BTC-USDT", "BTC/USD", "BRK.B", "a_b:c", String(repeating: "x", count: 64)])
  func namesOfTheForm(name: String) { #expect(SymbolName.isValid(name)) }

  @Test(arguments: [
    "", "-A", ".A", "/A", ":A", "_A", "A B", "A,B", "A*", "*", "é", "Aé", "A\n", "A%", "A\u{0}",
    String(repeating: "x", count: 65),
  ])
  func namesNotOfTheForm(name: String) { #expect(!SymbolName.isValid(name)) }

  @Test func everyByteIsEitherInTheFormOrNot() {
    let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    for byte in UInt8.min...UInt8.max {
      let first = [byte].withUnsafeBytes { SymbolName.isValid($0) }
      let later = [65, byte].withUnsafeBytes { SymbolName.isValid($0) }
      #expect(first == letters.contains(byte) && later == (letters.contains(byte) || "._:/-".utf8.contains(byte)))
    }
  }
}
