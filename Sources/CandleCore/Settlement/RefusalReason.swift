/// Why a tick was refused, in the order in which the reasons are checked.
public enum RefusalReason: UInt8, Error, Sendable, CaseIterable {
  /// Number of fields, or the symbol.
  case malformed
  case badTimestamp
  /// Not a number, or not above zero where that is asked for.
  case badPrice
  /// Not a number, or negative.
  case badVolume
  /// More than 18 significant digits or decimals, or 10^18 and more.
  case precision
  /// The volume sum of a candle would not fit.
  case overflow
  /// Event time more than `max_ahead` past the server clock.
  case tooFarAhead
  /// Past the correction window.
  case tooLate
  /// The trade id was seen before from that venue.
  case duplicate
  /// The feed is limited to other symbols.
  case unknownSymbol
  /// The disk failed and `limits.pending` is used up.
  case storage

  static let names = [
    "malformed", "bad_timestamp", "bad_price", "bad_volume", "precision", "overflow", "too_far_ahead", "too_late",
    "duplicate", "unknown_symbol", "storage",
  ]

  /// As in metrics and error messages.
  public var name: String { Self.names[Int(rawValue)] }
}
