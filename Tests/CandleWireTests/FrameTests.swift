import CandleWire
import Testing

@Suite struct FrameTests {
  private func frame(_ count: Int) -> Frame {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    return payload.withUnsafeBytes { Frame(text: $0) }
  }

  /// RFC 6455, section 5.2: final text frame, unmasked, the shortest length that fits.
  @Test(
    arguments: [
      (0, [0x81, 0]), (1, [0x81, 1]), (125, [0x81, 125]), (126, [0x81, 126, 0, 126]),
      (65_535, [0x81, 126, 0xff, 0xff]),
      (65_536, [0x81, 127, 0, 0, 0, 0, 0, 1, 0, 0]), (70_000, [0x81, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70]),
    ] as [(Int, [UInt8])])
  func theHeaderHasTheShortestLength(count: Int, header: [UInt8]) {
    let frame = frame(count)
    withExtendedLifetime(frame) {
      #expect(Array(frame.bytes.prefix(header.count)) == header)
      #expect(frame.bytes.count == header.count + count)
    }
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
  func thePayloadIsWhatWentIn(count: Int) {
    let frame = frame(count)
    let payload = withExtendedLifetime(frame) { Array($0.payload) }
    #expect(payload == (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
  }
}
