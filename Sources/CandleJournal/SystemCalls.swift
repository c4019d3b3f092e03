import CandleCore

/// What a system call failed with.
public struct SystemFailure: Error, Sendable, Equatable {
  /// errno.
  public let code: Int32
  public init(code: Int32) { self.code = code }
}

/// The system calls of a journal, one closure each, so that a test can let any of them fail.
public struct SystemCalls: Sendable {
  public enum Access: Sendable {
    case read
    case readWrite
    /// Created; must not exist.
    case create
  }

  public typealias Descriptor = Int32

  /// Makes a directory; one that exists is no failure.
  public var makeDirectory: @Sendable (_ path: String) throws(SystemFailure) -> Void
  /// Names of the files in a directory, in no order.
  public var list: @Sendable (_ directory: String) throws(SystemFailure) -> [String]
  public var open: @Sendable (_ path: String, Access) throws(SystemFailure) -> Descriptor
  public var close: @Sendable (Descriptor) -> Void
  /// Size of a file in bytes.
  public var size: @Sendable (Descriptor) throws(SystemFailure) -> Int
  /// Gives a file its blocks on disk, so that no later write into them can find the disk full.
  public var preallocate: @Sendable (Descriptor, _ bytes: Int) throws(SystemFailure) -> Void
  /// Maps a file for shared reading and writing.
  public var map: @Sendable (Descriptor, _ bytes: Int) throws(SystemFailure) -> UnsafeMutableRawPointer
  public var unmap: @Sendable (UnsafeMutableRawPointer, _ bytes: Int) -> Void
  /// Waits until mapped pages are on the disk.
  public var syncPages: @Sendable (UnsafeMutableRawPointer, _ bytes: Int) throws(SystemFailure) -> Void
  /// Waits until a file, or the names in a directory, are on the disk.
  public var syncFile: @Sendable (Descriptor) throws(SystemFailure) -> Void
  public var rename: @Sendable (_ from: String, _ to: String) throws(SystemFailure) -> Void
  public var remove: @Sendable (_ path: String) throws(SystemFailure) -> Void
  public var truncate: @Sendable (Descriptor, _ bytes: Int) throws(SystemFailure) -> Void
  /// Reads at an offset; may read less than asked for, 0 at the end.
  public var read: @Sendable (Descriptor, UnsafeMutableRawBufferPointer, _ offset: Int) throws(SystemFailure) -> Int
  /// Writes at an offset; may write less than asked for.
  public var write: @Sendable (Descriptor, UnsafeRawBufferPointer, _ offset: Int) throws(SystemFailure) -> Int
  /// The system clock, Unix ms.
  public var wallTime: @Sendable () -> Milliseconds
}

extension SystemCalls {
  /// Reads as much as there is.
  func readFully(
    _ descriptor: Descriptor, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int
  ) throws(SystemFailure) -> Int {
    var done = 0
    while done < buffer.count {
      let count = try read(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), offset + done)
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of it.
  func writeFully(
    _ descriptor: Descriptor, _ bytes: UnsafeRawBufferPointer, _ offset: Int
  ) throws(SystemFailure) {
    var done = 0
    while done < bytes.count {
      done += try write(descriptor, UnsafeRawBufferPointer(rebasing: bytes[done...]), offset + done)
    }
  }

  /// Waits until the names in a directory are on the disk.
  func syncDirectory(_ path: String) throws(SystemFailure) {
    let descriptor = try open(path, .read)
    defer { close(descriptor) }
    try syncFile(descriptor)
  }
}
