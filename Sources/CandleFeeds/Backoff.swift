/// How long to wait before a socket is dialled again: doubling up to a cap, with jitter, so that many daemons that lost
/// one exchange do not come back in step.
public struct Backoff: Sendable, Equatable {
  /// In milliseconds.
  public static let first: Int64 = 500
  /// In milliseconds.
  public static let cap: Int64 = 30_000
  /// A connection that lasted this long starts again from the first delay, in milliseconds.
  public static let stable: Int64 = 30_000

  public private(set) var attempts = 0

  public init() {}

  /// The next delay, in milliseconds: between half of the nominal delay and all of it.
  public mutating func next(using random: inout some RandomNumberGenerator) -> Int64 {
    let nominal = min(Self.cap, Self.first << min(attempts, 10))
    attempts += 1
    return Int64.random(in: (nominal / 2)...nominal, using: &random)
  }

  /// A connection ended that was up for `duration` milliseconds.
  public mutating func connectionEnded(after duration: Int64) {
    if duration >= Self.stable { attempts = 0 }
  }
}
