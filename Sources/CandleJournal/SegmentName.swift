/// The names of segments: `0000001a.segment`, a number in hexadecimal digits that counts up.
///
/// The number says nothing about what is in it, so that a segment has its name before it is known which record it will
/// begin with, and beginning it needs no system call.
enum SegmentName {
  static let suffix = ".segment"

  static func of(_ number: UInt32) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits + suffix
  }

  /// The number in a name; nil if it is not that of a segment.
  static func number(_ name: String) -> UInt32? {
    guard name.utf8.count == 8 + suffix.utf8.count, name.hasSuffix(suffix),
      let number = UInt32(name.prefix(8), radix: 16), of(number) == name
    else { return nil }
    return number
  }
}
