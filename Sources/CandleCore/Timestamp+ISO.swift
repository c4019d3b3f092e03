extension Timestamp {
  /// Reads a moment in the form of RFC 3339, `2021-04-17T16:43:30.244075Z`, floored to the nanosecond.
  ///
  /// A space may stand for the `T`, an offset `+01:00` for the `Z`; without either it is UTC. A leap second is the
  /// first moment of the next minute.
  /// - Returns: nil if it is no such moment, or not in 1970 … 2261.
  public static func scan(iso text: UnsafeRawBufferPointer) -> Timestamp? {
    func number(_ start: Int, _ length: Int) -> Int? {
      guard start + length <= text.count else { return nil }
      var value = 0
      for index in start..<start + length {
        let digit = text[index] &- 48
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
      }
      return value
    }
    guard text.count >= 19, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      text[10] | 32 == UInt8(ascii: "t") || text[10] == UInt8(ascii: " "), text[13] == UInt8(ascii: ":"),
      text[16] == UInt8(ascii: ":"), let year = number(0, 4), let month = number(5, 2), let day = number(8, 2),
      let hour = number(11, 2), let minute = number(14, 2), let second = number(17, 2), (1970...2261).contains(year),
      (1...12).contains(month), day >= 1, day <= daysOfMonth(month, year), hour < 24, minute < 60, second <= 60
    else { return nil }
    var at = 19
    var fraction: Int64 = 0
    if at < text.count, text[at] == UInt8(ascii: ".") || text[at] == UInt8(ascii: ",") {
      at += 1
      let start = at
      var weight: Int64 = 100_000_000
      while at < text.count, text[at] &- 48 < 10 {
        fraction += Int64(text[at] &- 48) * weight
        weight /= 10
        at += 1
      }
      if at == start { return nil }
    }
    var offset = 0
    if at < text.count, text[at] | 32 == UInt8(ascii: "z") {
      at += 1
    } else if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") {
      guard let hours = number(at + 1, 2), at + 3 < text.count, text[at + 3] == UInt8(ascii: ":"),
        let minutes = number(at + 4, 2), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (text[at] == UInt8(ascii: "-") ? -60 : 60)
      at += 6
    }
    guard at == text.count else { return nil }
    let seconds = Int64(days(year, month, day)) * 86_400 + Int64(hour * 3_600 + minute * 60 + second - offset)
    guard seconds >= 0 else { return nil }
    return Timestamp(nanoseconds: seconds * 1_000_000_000 + fraction)
  }

  /// A moment in either form: RFC 3339, or a Unix time in a unit.
  @inlinable public static func scan(moment text: UnsafeRawBufferPointer, unit: TimestampUnit) -> Timestamp? {
    text.count >= 19 && text[4] == UInt8(ascii: "-") ? scan(iso: text) : scan(text, unit: unit)
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func daysOfMonth(_ month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970-01-01. The year begins in March, so that the leap day is its last.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let monthOfMarch = (month + 9) % 12
    let dayOfYear = (153 * monthOfMarch + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}
