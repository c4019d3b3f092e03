import CandleCore
import CandleFeeds
import CandleTestSupport
import CandleWire
import Testing

/// Bytes of others never bring a decoder down, and nothing is taken of a text that is not whole.
@Suite struct VenueFuzzTests {
  @Test(arguments: tradeMessages) func ofACutMessageNothingIsTaken(venue: Venue, message: String, lines: [String]) {
    let bytes = Array(message.utf8)
    let decoder = decoder(venue)
    for count in 0..<bytes.count {
      let decoded = decode(decoder, Array(bytes[..<count]))
      #expect(decoded.event == .malformed && decoded.batch.ticks.isEmpty && decoded.refused == [.malformed], "\(count)")
    }
  }

  @Test(arguments: tradeMessages)
  func whateverBytesComeTheDecoderGoesOn(venue: Venue, message: String, lines: [String]) {
    var random = SeededGenerator(seed: UInt64(message.utf8.count))
    let original = Array(message.utf8)
    let decoder = decoder(venue)
    for _ in 0..<500 {
      var bytes = original
      for _ in 0..<random.int(1...4) {
        let at = random.int(0...bytes.count - 1)
        switch random.int(0...4) {
        case 0: bytes[at] = UInt8(random.int(0...255))
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(random.pick(Array(#"{}[]",:\0e-"#.utf8)), at: at)
        case 3: bytes.swapAt(at, random.int(0...bytes.count - 1))
        default: bytes.insert(contentsOf: bytes[at..<min(at + 20, bytes.count)], at: at)
        }
        if bytes.isEmpty { bytes = original }
      }
      let decoded = decode(decoder, bytes)
      let isDocument = bytes.withUnsafeBytes { JSONScanner.isDocument($0) }
      #expect((decoded.event == .malformed) != isDocument, "\(String(decoding: bytes, as: UTF8.self))")
      for range in decoded.batch.ranges + decoded.batch.refused.map(\.range) {
        #expect(range.lowerBound >= 0 && range.upperBound <= bytes.count)
      }
    }
    #expect(decode(decoder, original).lines == lines, "the next message is read as if nothing had been")
  }
}
