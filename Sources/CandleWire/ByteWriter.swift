import CandleCore

/// A growing buffer that text is written into; kept and reused, so that writing allocates nothing once it has grown.
public final class ByteWriter {
  public private(set) var base: UnsafeMutableRawPointer
  public private(set) var count = 0
  private var capacity: Int

  public init(capacity: Int = 4_096) {
    self.capacity = capacity
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// A copy of what was written.
  public var array: [UInt8] { Array(bytes) }

  public var string: String { String(decoding: bytes, as: UTF8.self) }

  public func clear() { count = 0 }

  /// Forgets what was written behind `count` bytes.
  public func truncate(to count: Int) { self.count = min(count, self.count) }

  /// Makes room for `extra` more bytes.
  @inline(__always)
  public func reserve(_ extra: Int) {
    if count &+ extra > capacity { grow(extra) }
  }

  @inline(never)
  private func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
  }

  public func write(_ text: StaticString) {
    reserve(text.utf8CodeUnitCount)
    (base + count).copyMemory(from: text.utf8Start, byteCount: text.utf8CodeUnitCount)
    count &+= text.utf8CodeUnitCount
  }

  public func write(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    reserve(bytes.count)
    (base + count).copyMemory(from: start, byteCount: bytes.count)
    count &+= bytes.count
  }

  public func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

  public func write(_ text: String) {
    var copy = text
    copy.withUTF8 { write(UnsafeRawBufferPointer($0)) }
  }

  public func write(byte: UInt8) {
    reserve(1)
    base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count &+= 1
  }

  public func write(_ value: Int64) {
    reserve(20)
    count &+= DecimalText.write(value, to: base + count)
  }

  public func write(_ value: Int) { write(Int64(value)) }

  public func write(_ value: Fixed) {
    reserve(DecimalText.maximumLength)
    count &+= DecimalText.write(value, to: base + count)
  }

  public func write(_ value: FixedSum) {
    reserve(DecimalText.maximumLength)
    count &+= DecimalText.write(value, to: base + count)
  }

  /// As a JSON number with 12 significant digits; `null` for NaN and infinity.
  public func write(_ value: Double) {
    reserve(40)
    count &+= DoubleText.write(value, to: base + count)
  }

  /// The same where room for it is reserved.
  @inline(__always)
  func writeReserved(_ value: Double) { count &+= DoubleText.write(value, to: base + count) }

  /// Copies bytes where room for them is reserved.
  @inline(__always)
  func writeReserved(_ bytes: UnsafeRawPointer, count length: Int) {
    (base + count).copyMemory(from: bytes, byteCount: length)
    count &+= length
  }

  /// As a JSON string, with quotes and escapes.
  public func writeJSON(string: String) {
    write(byte: UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""): write("\\\"")
      case UInt8(ascii: "\\"): write("\\\\")
      case 10: write("\\n")
      case 13: write("\\r")
      case 9: write("\\t")
      case 0..<32:
        let digits: StaticString = "0123456789abcdef"
        write("\\u00")
        write(byte: digits.utf8Start[Int(byte >> 4)])
        write(byte: digits.utf8Start[Int(byte & 15)])
      default: write(byte: byte)
      }
    }
    write(byte: UInt8(ascii: "\""))
  }
}
