import CandleCore

/// Moments as they are written on a command line.
enum TimeText {
  /// - Returns: Unix milliseconds; nil if it is neither a number nor a date from 1970 to 2261 in UTC.
  static func parse(_ text: String) -> Milliseconds? {
    let bytes = Array(text.utf8)
    if !bytes.isEmpty, bytes.allSatisfy(isDigit) { return Milliseconds(text) }
    // 2024-01-31, 2024-01-31T12:00Z, 2024-01-31T12:00:00Z
    guard [10, 17, 20].contains(bytes.count), bytes[4] == 45, bytes[7] == 45 else { return nil }
    guard let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]) else {
      return nil
    }
    guard (1970...2261).contains(year), (1...12).contains(month), (1...length(month, year)).contains(day) else {
      return nil
    }
    var seconds = days(year, month, day) * 86_400
    if bytes.count > 10 {
      guard bytes[10] == UInt8(ascii: "T"), bytes[13] == 58, bytes.last == UInt8(ascii: "Z") else { return nil }
      guard let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), hour < 24, minute < 60 else {
        return nil
      }
      seconds += hour * 3_600 + minute * 60
      if bytes.count == 20 {
        guard bytes[16] == 58, let second = number(bytes[17..<19]), second < 60 else { return nil }
        seconds += second
      }
    }
    return Milliseconds(seconds) * 1_000
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    digits.allSatisfy(isDigit) ? digits.reduce(0) { $0 * 10 + Int($1 - 48) } : nil
  }

  private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  private static func length(_ month: Int, _ year: Int) -> Int {
    [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }

  /// Days since 1970-01-01.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let before = year - 1
    let years = (year - 1970) * 365 + (before / 4 - before / 100 + before / 400) - 477
    return years + (1..<month).reduce(0) { $0 + length($1, year) } + day - 1
  }
}
