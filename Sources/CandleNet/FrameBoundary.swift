/// Follows outgoing WebSocket frames, to know whether the bytes so far end at a frame boundary.
///
/// The library does not parse what it is given as raw bytes: it would put a ping, pong or close frame into the middle of a
/// frame that was handed out in parts. This tells the loop when that must be prevented.
struct FrameBoundary {
  private var payloadLeft: UInt64 = 0
  private var head: (UInt64, UInt64) = (0, 0)
  private var headCount = 0

  var isAtBoundary: Bool { payloadLeft == 0 && headCount == 0 }

  /// Frames are unmasked. Cost: one step a frame.
  mutating func advance(_ bytes: UnsafeRawBufferPointer) {
    var at = 0
    let end = bytes.count
    while at < end {
      if payloadLeft > 0 {
        let step = min(UInt64(end - at), payloadLeft)
        payloadLeft -= step
        at += Int(step)
      } else if headCount == 0, end - at >= 10 {
        let (size, payload) = Self.head(bytes.baseAddress! + at)
        at += size
        payloadLeft = payload
      } else {
        withUnsafeMutableBytes(of: &head) { $0[headCount] = bytes[at] }
        headCount += 1
        at += 1
        finishHeadIfWhole()
      }
    }
  }

  private mutating func finishHeadIfWhole() {
    guard headCount >= 2 else { return }
    let found: (size: Int, payload: UInt64) = withUnsafeBytes(of: &head) { Self.head($0.baseAddress!) }
    guard headCount == found.size else { return }
    payloadLeft = found.payload
    headCount = 0
    head = (0, 0)
  }

  private static func head(_ bytes: UnsafeRawPointer) -> (size: Int, payload: UInt64) {
    let short = bytes.load(fromByteOffset: 1, as: UInt8.self) & 0x7f
    switch short {
    case 126: return (4, UInt64(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))))
    case 127: return (10, UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self)))
    default: return (2, UInt64(short))
    }
  }
}
