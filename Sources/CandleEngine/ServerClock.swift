import CandleCore

/// One reading of the machine's clocks, taken once per wake and passed down.
public struct Instant: Sendable, Equatable {
  /// CLOCK_BOOTTIME in nanoseconds.
  public var monotonic: Int64
  /// CLOCK_REALTIME in milliseconds.
  public var wall: Milliseconds

  public init(monotonic: Int64, wall: Milliseconds) {
    self.monotonic = monotonic
    self.wall = wall
  }
}

/// The daemon's estimate of the exchange's clock; it never goes back.
public struct ServerClock: Sendable {
  public enum Source: String, Sendable {
    /// The system clock.
    case system
    /// The system clock and an offset that is measured against a time endpoint.
    case http
    /// Recorded data: the newest accepted event time plus the time since it came.
    case feed
  }

  /// A stretch the clock did not live through: a step of the system clock, or a process that was stopped.
  public struct Jump: Sendable, Equatable {
    public var from: Milliseconds
    public var to: Milliseconds
  }

  /// A difference up to this is slewed, a larger one is a step.
  static let stepLimit: Milliseconds = 1_000
  /// Slewing corrects this share of the time that passes.
  static let slewDivisor: Int64 = 10
  /// Between two readings of a live process lies less than this.
  static let stallLimit: Milliseconds = 60_000

  public let source: Source
  /// Steps larger than `stepLimit`, in either direction.
  public private(set) var steps: Int64 = 0
  /// Server time minus system time as it was last measured, in milliseconds; nil before the first measurement.
  public private(set) var measuredOffset: Milliseconds?
  /// Server time minus monotonic time, in nanoseconds.
  private var offset: Int64?
  private var lastMonotonic: Int64 = 0
  private var lastTime: Milliseconds?

  public init(source: Source) { self.source = source }

  /// Whether the clock waits for the system clock, which was set back, to come up with it.
  public var isStanding: Bool {
    guard let offset, let lastTime else { return false }
    return source != .feed && (lastMonotonic + offset) / 1_000_000 < lastTime - Self.stepLimit
  }

  /// Server time minus system time at the last reading, in milliseconds.
  public func offsetMilliseconds(at instant: Instant) -> Milliseconds {
    lastTime.map { $0 - instant.wall } ?? 0
  }

  /// The time of the newest reading; nil before the first.
  public var now: Milliseconds? { lastTime }

  /// Reads the clock.
  /// - Returns: the jump that this reading made, if it did; `now` has the time.
  public mutating func read(_ instant: Instant) -> Jump? {
    defer { lastMonotonic = instant.monotonic }
    switch source {
    case .feed:
      guard let offset else { return nil }
      advance(to: (instant.monotonic + offset) / 1_000_000)
      return nil
    case .system, .http:
      // Nothing is known of the exchange's clock before it was asked.
      if source == .http, measuredOffset == nil { return nil }
      let wall = instant.wall + (measuredOffset ?? 0)
      guard let offset, let before = lastTime else {
        self.offset = wall * 1_000_000 - instant.monotonic
        lastTime = wall
        return nil
      }
      let estimate = (instant.monotonic + offset) / 1_000_000
      let difference = wall - estimate
      if abs(difference) > Self.stepLimit {
        steps += 1
        self.offset = wall * 1_000_000 - instant.monotonic
        advance(to: wall)
        return wall > before + Self.stepLimit ? Jump(from: before, to: wall) : nil
      }
      let elapsed = instant.monotonic - lastMonotonic
      let most = elapsed / Self.slewDivisor
      let correction = max(-most, min(most, difference * 1_000_000))
      self.offset = offset + correction
      advance(to: (instant.monotonic + offset + correction) / 1_000_000)
      return elapsed / 1_000_000 > Self.stallLimit ? Jump(from: before, to: lastTime ?? before) : nil
    }
  }

  /// The time endpoint was asked: server time minus system time, of the sample with the smallest round trip.
  public mutating func measured(offset milliseconds: Milliseconds) { measuredOffset = milliseconds }

  /// A tick was accepted; with source `feed` this is what moves the clock.
  public mutating func observe(_ eventTime: Milliseconds, at instant: Instant) {
    guard source == .feed, eventTime > lastTime ?? .min else { return }
    offset = eventTime * 1_000_000 - instant.monotonic
    lastTime = eventTime
  }

  private mutating func advance(to time: Milliseconds) {
    if time > lastTime ?? .min { lastTime = time }
  }

  /// The monotonic time at which the server clock will show `time`, in nanoseconds; nil before the first reading.
  public func monotonic(of time: Milliseconds) -> Int64? {
    offset.map { time * 1_000_000 - $0 }
  }
}
