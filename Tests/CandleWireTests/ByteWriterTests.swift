import CandleCore
import CandleWire
import Testing

@Suite struct ByteWriterTests {
  @Test func itGrowsAndKeepsWhatWasWritten() {
    let out = ByteWriter(capacity: 1)
    for number in 0..<2_000 {
      out.write(number)
      out.write(byte: UInt8(ascii: ","))
    }
    #expect(out.string == (0..<2_000).map { "\($0)," }.joined())
    out.clear()
    #expect(out.count == 0 && out.array.isEmpty)
  }

  @Test func truncatingForgetsTheEndOnly() {
    let out = ByteWriter()
    out.write("abc")
    out.truncate(to: 2)
    #expect(out.string == "ab")
    out.truncate(to: 9)
    #expect(out.string == "ab")
  }

  @Test func numbersAreWrittenWithTheirDigits() {
    #expect(written { $0.write("36500.250" as Fixed) } == "36500.25")
    #expect(written { $0.write(FixedSum("0.00000001")) } == "0.00000001")
    #expect(written { $0.write(Int64.min) } == "-9223372036854775808")
    #expect(written { $0.write(0.5) } == "0.5")
  }

  @Test func jsonStringsAreEscaped() {
    #expect(written { $0.writeJSON(string: "a\"\\\n\r\t\u{1}\u{1f}é😀/") } == "\"a\\\"\\\\\\n\\r\\t\\u0001\\u001fé😀/\"")
  }

  @Test func emptyBytesAreNothing() {
    #expect(written { $0.write(UnsafeRawBufferPointer(start: nil, count: 0)) } == "")
    #expect(written { $0.write([UInt8]()) } == "")
  }
}
