import CandleWire
import Foundation

/// Time zones by the names of the IANA database.
enum NamedZones {
  private static let known = Set(TimeZone.knownTimeZoneIdentifiers)

  /// - Returns: nil for a name that is not known.
  static func rule(_ name: String) -> ZoneRule? {
    guard known.contains(name), let zone = TimeZone(identifier: name) else { return nil }
    return ZoneRule(name: name) { seconds in
      Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(seconds))))
    }
  }
}
