/// A time zone: what its clocks show at a moment.
public struct ZoneRule: Sendable {
  /// Names it; two of one name are the same.
  public let name: String
  /// Seconds east of UTC at a Unix time in seconds.
  let offset: @Sendable (Int64) -> Int64

  public init(name: String, offset: @escaping @Sendable (Int64) -> Int64) {
    self.name = name
    self.offset = offset
  }

  public static let utc = ZoneRule(name: "UTC") { _ in 0 }

  /// `UTC`, `Z`, or an offset: `+08:00`, `-0330`, `+8`. A space stands for the `+` that a query turned into one.
  /// - Returns: nil for anything else, and for offsets of more than 14 hours.
  public init?(fixed text: String) {
    if text == "UTC" || text == "Z" {
      self = .utc
      return
    }
    guard let sign = text.first, "+- ".contains(sign) else { return nil }
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else {
      return nil
    }
    let hours: Int64?
    let minutes: Int64?
    switch (parts.count, parts[0].count) {
    case (2, 1...2) where parts[1].count == 2: (hours, minutes) = (Int64(parts[0]), Int64(parts[1]))
    case (1, 1...2): (hours, minutes) = (Int64(parts[0]), 0)
    case (1, 4): (hours, minutes) = (Int64(parts[0].prefix(2)), Int64(parts[0].suffix(2)))
    default: return nil
    }
    guard let hours, let minutes, minutes < 60, hours * 60 + minutes <= 14 * 60 else { return nil }
    let seconds = (hours * 3_600 + minutes * 60) * (sign == "-" ? -1 : 1)
    self.init(name: "\(seconds)") { _ in seconds }
  }
}

extension ZoneRule: Hashable {
  public static func == (a: ZoneRule, b: ZoneRule) -> Bool { a.name == b.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// Writes moments as the clocks of a zone show them; asks the zone once for each quarter of an hour, since no zone
/// changes within one.
struct ZoneClock {
  private let rule: ZoneRule
  private var quarter = Int64.min
  private var offset: Int64 = 0

  init(_ rule: ZoneRule) { self.rule = rule }

  /// `MM-dd HH:mm`.
  /// - Parameter seconds: Unix time.
  mutating func write(_ seconds: Int64, to out: ByteWriter) {
    let wanted = seconds.quotient(by: 900)
    if wanted != quarter {
      quarter = wanted
      offset = rule.offset(seconds)
    }
    let local = seconds + offset
    let day = local.quotient(by: 86_400)
    let minutes = (local - day * 86_400) / 60
    let (month, dayOfMonth) = Self.monthAndDay(day)
    Self.write(month, to: out)
    out.write("-")
    Self.write(dayOfMonth, to: out)
    out.write(" ")
    Self.write(minutes / 60, to: out)
    out.write(":")
    Self.write(minutes % 60, to: out)
  }

  private static func write(_ value: Int64, to out: ByteWriter) {
    out.write(byte: UInt8(48 + value / 10))
    out.write(byte: UInt8(48 + value % 10))
  }

  /// Month and day of a day since 1970-01-01, by the Gregorian calendar: its 400 years, counted from a first of March,
  /// have 146,097 days, and from March on each five months have 153.
  static func monthAndDay(_ day: Int64) -> (month: Int64, day: Int64) {
    let shifted = day + 719_468
    let ofEra = shifted - shifted.quotient(by: 146_097) * 146_097
    let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    return (month < 10 ? month + 3 : month - 9, ofYear - (153 * month + 2) / 5 + 1)
  }
}

extension Int64 {
  /// Division that rounds down, also below zero.
  func quotient(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
