import CandleCore

/// A row that was not taken, and why.
public struct HistoryRefusal: Sendable, Equatable {
  /// In the order in which they are checked.
  public enum Reason: String, Sendable, CaseIterable {
    /// Not the fields that the format has.
    case malformed
    /// A time or number that is none: text, NaN, infinite, empty where it must not be.
    case notANumber = "not_a_number"
    /// The open time is no boundary of the timeframe, or the row is of another timeframe.
    case unaligned
    /// More than 18 significant digits or decimals in a price; in a volume more than 18 decimals, or 10^38 and more.
    case precision
    /// Low above high, open or close outside of them, or a negative volume.
    case badRange = "bad_range"
  }

  public var reason: Reason
  /// The row as it stood there on one line, cut at 200 bytes.
  public var text: String

  public static let maximumTextLength = 200

  public init(reason: Reason, text: String) {
    self.reason = reason
    self.text = text
  }

  init(reason: Reason, row: UnsafeRawBufferPointer) {
    self.init(reason: reason, text: Self.oneLine(row))
  }

  /// Text of others for a log: control characters are spaces.
  static func oneLine(_ text: UnsafeRawBufferPointer) -> String {
    String(decoding: text.prefix(maximumTextLength).map { $0 < 32 || $0 == 127 ? 32 : $0 }, as: UTF8.self)
  }
}

/// What one body or file gave. Every row of it is in exactly one of `rows`, the refused, `outside`, `forming` and
/// `doubled`.
public struct HistoryAnswer: Sendable, Equatable {
  /// Sorted by open time, each time once.
  public internal(set) var rows: [HistoryRow] = []
  /// The first `maximumRefusals` refused rows, in the order of the body.
  public internal(set) var refusals: [HistoryRefusal] = []
  /// Rows of times or of a symbol that were not asked for.
  public internal(set) var outside = 0
  /// Rows that the source says are still forming.
  public internal(set) var forming = 0
  /// Rows that a later row of the same open time replaced.
  public internal(set) var doubled = 0
  /// `from` of the next page, where the source says that there is one (candled).
  public internal(set) var next: Milliseconds?

  private var counts: [HistoryRefusal.Reason: Int] = [:]

  /// So that a file of nothing but errors does not fill the memory.
  public static let maximumRefusals = 100

  public init() {}

  /// All refused rows, also those whose text was not kept.
  public var refused: Int { counts.values.reduce(0, +) }

  public func refused(_ reason: HistoryRefusal.Reason) -> Int { counts[reason] ?? 0 }

  mutating func refuse(_ row: UnsafeRawBufferPointer, _ reason: HistoryRefusal.Reason) {
    counts[reason, default: 0] += 1
    if refusals.count < Self.maximumRefusals { refusals.append(HistoryRefusal(reason: reason, row: row)) }
  }
}
