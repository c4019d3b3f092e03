/// How a store opens its database.
public struct StoreOptions: Sendable {
  /// What a commit survives.
  public enum Synchronous: String, Sendable {
    /// `kill -9` and crashes of the process; after power loss the newest commits may be missing, never half of one.
    case normal = "NORMAL"
    /// Power loss too: every commit waits for the disk.
    case full = "FULL"
  }

  public var synchronous: Synchronous = .normal
  /// How long one attempt waits for another program's lock, in milliseconds.
  public var busyTimeoutMilliseconds: Int32 = 250
  /// Threads that read, each with a connection of its own.
  public var readThreads = 2
  /// Reads that may wait; more are refused with `overloaded`.
  public var maximumQueuedReads = 4096
  /// Page cache of the writer, in KiB. A minute boundary touches one page a series.
  public var writerCacheKiB = 16 * 1024
  /// Page cache of each reader, in KiB.
  public var readerCacheKiB = 8 * 1024
  /// Candles that one transaction holds at most; what is queued beyond waits for the next.
  public var maximumRowsPerTransaction = 100_000
  /// Pages in the write-ahead log from which the checkpoint thread copies them into the database (4 KiB each).
  public var checkpointPages = 1_000
  /// Pages in the log from which the writer itself checkpoints between two transactions, so that the log stays bounded.
  public var maximumLogPages = 65_536
  /// First and longest pause between attempts to write, in milliseconds; it doubles.
  public var retryMilliseconds: (first: Int, longest: Int) = (50, 5_000)
  /// Called on the writer thread before each commit, so that tests can make it fail or wait.
  public var beforeCommit: (@Sendable () throws(StoreError) -> Void)?

  public init() {}
}
