import CandleCore

/// What is to be told to subscribers, in this order.
public enum Publication: Sendable, Equatable {
  /// Committed, in version order.
  ///
  /// Values of the indicators, NaN where there is none; nil where none are computed.
  case settled(CandleUpdate, values: ContiguousArray<Double>?)
  case forming(SeriesKey, Candle, values: ContiguousArray<Double>?)
  case gap(Gap)
  /// Committed, in version order: a candle that a history source filled, or that changed with one. There may be
  /// thousands, so readers take them from the store at their own pace.
  case filled(CandleUpdate)
}

/// Something that a history source may fill.
public enum FillRequest: Sendable, Equatable {
  /// A gap that has ended.
  case gap(Gap)
  /// A settled candle of a timeframe that takes ticks, which is not complete.
  case candle(SeriesKey, openTime: Milliseconds)
}

/// What is to be stored in one transaction, in version order; published when the store says it is committed.
public struct StoreBatch: Sendable, Equatable {
  /// Symbols with the number they have in this process, before their first row.
  public var symbols: [StoredSymbol] = []
  public var updates: ContiguousArray<CandleUpdate> = []
  /// Values of the indicators of each update.
  public var values: ContiguousArray<ContiguousArray<Double>?> = []
  public var gaps: [Gap] = []
  /// The largest version in the batch.
  public var version: Int64 = 0

  public init() {}

  public var isEmpty: Bool { symbols.isEmpty && updates.isEmpty && gaps.isEmpty }
}

/// A symbol began or ceased to be listened to; a journal keeps it beside the ticks.
public struct ListeningEvent: Sendable, Equatable {
  public var symbol: Int32
  /// Server time.
  public var time: Milliseconds
  /// Of the gap that an end begins; nil at a begin.
  public var endReason: GapReason?
}

public struct StoredSymbol: Sendable, Equatable {
  public var id: Int32
  public var name: String

  public init(id: Int32, name: String) {
    self.id = id
    self.name = name
  }
}
