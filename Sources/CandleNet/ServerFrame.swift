/// The frame head of RFC 6455, section 5.2, as a server writes it: final, unmasked.
public enum ServerFrame {
  public enum Opcode: UInt8, Sendable {
    case text = 1, binary = 2, ping = 9
  }

  /// Bytes of the head before `count` bytes of payload: 2, 4 or 10.
  public static func headSize(payload count: Int) -> Int {
    count < 126 ? 2 : count < 65_536 ? 4 : 10
  }

  /// Appends head and payload to `bytes`.
  public static func append(_ opcode: Opcode = .text, _ payload: some Collection<UInt8>, to bytes: inout [UInt8]) {
    let count = payload.count
    bytes.append(0x80 | opcode.rawValue)
    switch headSize(payload: count) {
    case 2: bytes.append(UInt8(count))
    case 4:
      bytes.append(126)
      bytes.append(UInt8(count >> 8))
      bytes.append(UInt8(count & 0xff))
    default:
      bytes.append(127)
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
    }
    bytes.append(contentsOf: payload)
  }
}
