/// How many requests each address may make: so many a second, in bursts of twice as many.
///
/// The generic cell rate algorithm (ITU-T I.371, annex A): of each address one time is kept, at which it would have paid
/// for all it asked. An address that has paid is forgotten, so memory is bounded by the addresses of the last two seconds.
public struct RequestBudget: Sendable {
  /// Addresses that are remembered at a time; with more, all start anew.
  public static let largest = 65_536

  /// 0 = no limit.
  public var perSecond: Int
  private var paidAt: [String: Int64] = [:]
  private var sweepAt = 1_024

  public init(perSecond: Int) { self.perSecond = perSecond }

  /// Addresses that have something to pay.
  public var count: Int { paidAt.count }

  /// Nanoseconds until a request is granted; 0 = now.
  /// - Parameter monotonic: nanoseconds of a clock that does not go back.
  public func wait(_ address: String, at monotonic: Int64) -> Int64 {
    guard perSecond > 0, let paid = paidAt[address] else { return 0 }
    return max(0, paid &- monotonic &- (2 * Int64(perSecond) - 1) * price)
  }

  /// Counts a request.
  public mutating func charge(_ address: String, at monotonic: Int64) {
    guard perSecond > 0 else { return }
    if paidAt.count >= sweepAt { sweep(monotonic) }
    paidAt[address] = max(paidAt[address] ?? monotonic, monotonic) &+ price
  }

  /// Nanoseconds that a request costs.
  private var price: Int64 { max(1, 1_000_000_000 / Int64(max(1, perSecond))) }

  private mutating func sweep(_ monotonic: Int64) {
    paidAt = paidAt.filter { $0.value > monotonic }
    if paidAt.count >= Self.largest { paidAt.removeAll() }
    sweepAt = min(Self.largest, max(1_024, paidAt.count * 2))
  }
}
