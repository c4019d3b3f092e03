/// The form of symbols: `[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}`.
public enum SymbolName {
  static let maximumLength = 64

  /// Bit per byte value below 128 that may stand in a symbol.
  private static let parts: (low: UInt64, high: UInt64) = (0x07ff_e000_0000_0000, 0x07ff_fffe_87ff_fffe)

  @inline(__always)
  static func isPart(_ byte: UInt8) -> Bool {
    byte < 128 && ((byte < 64 ? parts.low : parts.high) &>> UInt64(byte & 63)) & 1 == 1
  }

  @inline(__always)
  static func isFirst(_ byte: UInt8) -> Bool { isAlphanumeric(byte) }

  public static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard (1...maximumLength).contains(bytes.count), isAlphanumeric(bytes[0]) else { return false }
    for byte in bytes where !isAlphanumeric(byte) && !isMark(byte) { return false }
    return true
  }

  public static func isValid(_ name: String) -> Bool {
    var copy = name
    return copy.withUTF8 { isValid(UnsafeRawBufferPointer($0)) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
      || byte == UInt8(ascii: "-")
  }
}
