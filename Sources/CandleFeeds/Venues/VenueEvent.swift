import CandleCore

/// What a message of a venue is, beside the trades of it.
public enum VenueEvent: Sendable, Equatable {
  /// It held trades; they are in the batch, as ticks or refused.
  case trades
  /// Something that candled has no use for.
  case ignored
  /// No JSON text; it is in the batch as refused.
  case malformed
  /// The venue sends trades of these from now on.
  case subscribed(Subscribed)
  /// The venue does not do what it was asked for, and says why.
  case rejected(String)
  /// The venue wants the connection to be made anew.
  case reconnect(String)
  /// The newest trade that there is of a symbol, whether it came here or not.
  case newest(symbol: Int32, id: UInt64, time: Milliseconds)

  public enum Subscribed: Sendable, Equatable {
    /// Those of a request, counted from 1.
    case request(Int)
    case symbol(Int32)
    case all
  }
}
