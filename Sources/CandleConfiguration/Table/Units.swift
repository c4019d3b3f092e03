import CandleCore

/// Durations as they are written: `500ms`, `1s`, `5m`, `2h`, `90d`, and `0`.
enum DurationText {
  private static let units: [(name: String, length: Milliseconds)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]

  /// - Returns: milliseconds; nil if it is no such text, or over 2^63 ms.
  static func parse(_ text: String) -> Milliseconds? {
    if text == "0" { return 0 }
    return UnitText.parse(text, units: units)
  }

  /// In the longest unit that gives a whole number.
  static func write(_ value: Milliseconds) -> String { UnitText.write(value, units: units) }
}

/// Sizes as they are written: `64KiB`, `4MiB`, `1GiB`, or plain bytes.
enum SizeText {
  private static let units: [(name: String, length: Int64)] = [
    ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("", 1),
  ]

  /// - Returns: bytes; nil if it is no such text, or over 2^63 bytes.
  static func parse(_ text: String) -> Int? { UnitText.parse(text, units: units).flatMap { Int(exactly: $0) } }

  /// In the largest unit that gives a whole number.
  static func write(_ value: Int) -> String { UnitText.write(Int64(value), units: units) }
}

private enum UnitText {
  static func parse(_ text: String, units: [(name: String, length: Int64)]) -> Int64? {
    let digits = text.utf8.prefix { (48...57).contains($0) }
    guard (1...19).contains(digits.count), let number = Int64(Substring(digits)) else { return nil }
    let name = Substring(text.utf8.dropFirst(digits.count))
    guard let unit = units.first(where: { $0.name == name }) else { return nil }
    let (value, overflow) = number.multipliedReportingOverflow(by: unit.length)
    return overflow ? nil : value
  }

  static func write(_ value: Int64, units: [(name: String, length: Int64)]) -> String {
    guard value != 0, let unit = units.first(where: { value % $0.length == 0 }) else { return "\(value)" }
    return "\(value / unit.length)\(unit.name)"
  }
}

extension ValueForm where Value == Milliseconds {
  /// - Parameter zero: what 0 means, if it may be 0 although the range begins later.
  static func duration(_ range: ClosedRange<Milliseconds>, zero: String? = nil) -> ValueForm {
    let most = range.upperBound == .max ? "" : " to " + DurationText.write(range.upperBound)
    let bounds = (most.isEmpty ? "from " : "") + DurationText.write(range.lowerBound) + most
    let type = "duration, \(bounds)" + (zero.map { ", 0 = \($0)" } ?? "")
    return .unit(
      type, reason: "is no duration", expected: "something like 500ms, 1s, 5m, 2h or 90d",
      bounds: bounds + (zero == nil ? "" : ", or 0"), isInRange: { range.contains($0) || (zero != nil && $0 == 0) },
      parse: DurationText.parse, write: DurationText.write)
  }
}

extension ValueForm where Value == Int {
  /// In bytes.
  static func size(_ range: ClosedRange<Int>, zero: String? = nil) -> ValueForm {
    let most = range.upperBound == .max ? "" : " to " + SizeText.write(range.upperBound)
    let bounds = (most.isEmpty ? "from " : "") + SizeText.write(range.lowerBound) + most
    let type = "size, \(bounds)" + (zero.map { ", 0 = \($0)" } ?? "")
    return .unit(
      type, reason: "is no size", expected: "something like 64KiB, 4MiB or 1GiB",
      bounds: bounds + (zero == nil ? "" : ", or 0"), isInRange: { range.contains($0) || (zero != nil && $0 == 0) },
      parse: SizeText.parse, write: SizeText.write)
  }
}

extension ValueForm {
  fileprivate static func unit(
    _ type: String, reason: String, expected: String, bounds: String, isInRange: @escaping (Value) -> Bool,
    parse: @escaping (String) -> Value?, write: @escaping (Value) -> String
  ) -> ValueForm {
    let text = ValueForm.text(type, reason: reason, expected: expected, takesNumbers: true, parse: parse, write: write)
    return ValueForm(
      type: type,
      read: { node, path, report in
        guard let value = text.read(node, path, report) else { return nil }
        guard isInRange(value) else {
          report.add(node, path, "is out of range", expected: bounds)
          return nil
        }
        return value
      },
      write: text.write)
  }
}
