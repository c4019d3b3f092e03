import CandleCore

/// One fact of the journal. Its number, the sequence, is where it stands: each record has the next one.
public enum JournalRecord: Sendable, Equatable {
  /// A tick was accepted.
  case tick(JournalTick)
  /// A symbol has this number in this process; the number stands for it in what follows, within the segment.
  case symbol(Int32, name: String)
  /// A symbol is, or is no longer, listened to from this server time on.
  case listening(Int32, ListeningChange, at: Milliseconds)
  /// The process was alive at this server time.
  case alive(at: Milliseconds)
  /// The store holds all effects of the records up to this sequence. Told for the reader's information: what counts is
  /// what the database says.
  case committed(upTo: UInt64)
}

/// An accepted tick.
public struct JournalTick: Sendable {
  /// Its symbol is the process's number of it.
  public var tick: Tick
  /// Whose trade id it is; see the engine's `ingest`.
  public var venue: UInt32
  /// Server time at which it was accepted.
  public var serverTime: Milliseconds

  public init(_ tick: Tick, venue: UInt32, serverTime: Milliseconds) {
    self.tick = tick
    self.venue = venue
    self.serverTime = serverTime
  }
}

extension JournalTick: Equatable {
  /// Equal in every field as written: `1.50` and `1.5` are the same price, but not the same record.
  public static func == (a: JournalTick, b: JournalTick) -> Bool {
    a.tick.symbol == b.tick.symbol && a.venue == b.venue && a.serverTime == b.serverTime && a.tick.time == b.tick.time
      && a.tick.price.coefficient == b.tick.price.coefficient && a.tick.price.scale == b.tick.price.scale
      && a.tick.volume.coefficient == b.tick.volume.coefficient && a.tick.volume.scale == b.tick.volume.scale
      && a.tick.id == b.tick.id && a.tick.takerSide == b.tick.takerSide
  }
}

/// Whether listening to a symbol begins or ends.
public enum ListeningChange: Sendable, Equatable {
  case began
  /// A gap with this reason begins.
  case ended(GapReason)
}

extension ListeningChange {
  /// Reasons by their number in the journal, which is their place here: append only.
  private static let reasons: [GapReason] = [.disconnect, .silence, .restart, .suspended, .missedTrades]

  /// 0 for a begin, else the number of the reason plus 1.
  var code: UInt8 {
    switch self {
    case .began: 0
    case .ended(let reason): UInt8(Self.reasons.firstIndex(of: reason) ?? 0) + 1
    }
  }

  init?(code: UInt8) {
    if code == 0 {
      self = .began
    } else if code <= Self.reasons.count {
      self = .ended(Self.reasons[Int(code) - 1])
    } else {
      return nil
    }
  }
}
