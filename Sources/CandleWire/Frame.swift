/// A message as it goes over the wire, WebSocket header and all; built once and shared by all who get it.
///
/// Frames of a server are not masked (RFC 6455, section 5.2), so the same bytes serve every subscriber.
public final class Frame {
  public let bytes: UnsafeRawBufferPointer

  /// A text frame around a payload.
  public init(text payload: UnsafeRawBufferPointer) {
    let header = payload.count < 126 ? 2 : payload.count < 65_536 ? 4 : 10
    let memory = UnsafeMutableRawPointer.allocate(byteCount: header + payload.count, alignment: 1)
    memory.storeBytes(of: 0x81, as: UInt8.self)
    switch header {
    case 2:
      memory.storeBytes(of: UInt8(payload.count), toByteOffset: 1, as: UInt8.self)
    case 4:
      memory.storeBytes(of: 126, toByteOffset: 1, as: UInt8.self)
      memory.storeBytes(of: UInt16(payload.count).bigEndian, toByteOffset: 2, as: UInt16.self)
    default:
      memory.storeBytes(of: 127, toByteOffset: 1, as: UInt8.self)
      memory.storeBytes(of: UInt64(payload.count).bigEndian, toByteOffset: 2, as: UInt64.self)
    }
    if let start = payload.baseAddress { (memory + header).copyMemory(from: start, byteCount: payload.count) }
    bytes = UnsafeRawBufferPointer(start: memory, count: header + payload.count)
  }

  deinit { bytes.deallocate() }

  /// The payload, for those who look at it again.
  public var payload: UnsafeRawBufferPointer {
    let length = bytes[1] & 127
    return UnsafeRawBufferPointer(rebasing: bytes[(length < 126 ? 2 : length == 126 ? 4 : 10)...])
  }
}
