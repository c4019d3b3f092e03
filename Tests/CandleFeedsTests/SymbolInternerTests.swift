import CandleTestSupport
import Testing

@testable import CandleFeeds

@Suite struct SymbolInternerTests {
  private func bytes<T>(_ name: String, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    var copy = name
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }

  @Test func anUnknownSymbolHasNoNumber() {
    let interner = SymbolInterner()
    #expect(bytes("BTC") { interner.number(of: $0) } == nil)
    #expect(bytes("") { interner.number(of: $0) } == nil)
  }

  @Test func aSymbolKeepsItsNumberHoweverManyFollow() {
    var interner = SymbolInterner()
    for number in 0..<20_000 { bytes("SYM\(number)") { interner.insert($0, number: Int32(number * 3)) } }
    #expect(interner.count == 20_000)
    for number in 0..<20_000 { #expect(bytes("SYM\(number)") { interner.number(of: $0) } == Int32(number * 3)) }
    #expect(bytes("SYM20000") { interner.number(of: $0) } == nil)
    #expect(bytes("SYM") { interner.number(of: $0) } == nil)
  }

  /// Symbols of a venue differ in few characters, wherever these stand.
  @Test(arguments: ["SYM%", "%USDT", "AB%-USDT", "X:%", "A%B"]) func likeSymbolsAreFoundAtOnce(form: String) {
    var interner = SymbolInterner()
    let names = (0..<10_000).map { number in
      let digits = String(number)
      return form.split(separator: "%", omittingEmptySubsequences: false).joined(
        separator: String(repeating: "0", count: 4 - digits.count) + digits)
    }
    for (number, name) in names.enumerated() { bytes(name) { interner.insert($0, number: Int32(number)) } }
    for (number, name) in names.enumerated() {
      let text = Array((name + "," + String(repeating: " ", count: SymbolInterner.reach)).utf8)
      #expect(text.withUnsafeBytes { interner.numberBeforeComma($0.baseAddress!)?.number } == Int32(number))
    }
    // Spread at random over twice as many slots, they would take less than 1.5 steps each.
    #expect(interner.shortSteps < 2 * names.count, "\(Double(interner.shortSteps) / Double(names.count)) steps each")
  }

  @Test func caseAndLengthMatter() {
    var interner = SymbolInterner()
    bytes("btc") { interner.insert($0, number: 1) }
    bytes("BTC") { interner.insert($0, number: 2) }
    bytes("BTCBTC") { interner.insert($0, number: 3) }
    #expect(bytes("btc") { interner.number(of: $0) } == 1 && bytes("BTC") { interner.number(of: $0) } == 2)
    #expect(bytes("BTCBTC") { interner.number(of: $0) } == 3 && bytes("BT") { interner.number(of: $0) } == nil)
  }
}
