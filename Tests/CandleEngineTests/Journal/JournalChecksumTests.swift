import CandleEngine
import Testing

@Suite struct JournalChecksumTests {
  /// Published values of XXH64 with seed 0.
  @Test(
    arguments: [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ] as [(String, UInt64)])
  func equalsThePublishedValues(text: String, value: UInt64) {
    #expect(checksum(Array(text.utf8)) == value)
  }

  @Test func everyBitCounts() {
    for count in 1...70 {
      let bytes = (0..<count).map { UInt8($0) }
      let whole = checksum(bytes)
      for bit in 0..<count * 8 {
        var changed = bytes
        changed[bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(checksum(changed) != whole)
      }
      #expect(checksum(bytes, seed: 1) != whole)
    }
  }

  private func checksum(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    withUnsafeTemporaryAllocation(byteCount: bytes.count + 1, alignment: 1) { memory in
      memory.copyBytes(from: bytes)
      return JournalChecksum.of(UnsafeRawPointer(memory.baseAddress!), count: bytes.count, seed: seed)
    }
  }
}
