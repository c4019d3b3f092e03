import CandleCore
import CandleJournal
import Glibc
import Synchronization

/// Lets one system call of a journal fail.
final class FaultPlan: Sendable {
  enum Fault: CaseIterable {
    case noSpace, io
    /// Reads and writes move one byte, once.
    case short
    /// This call and all that follow.
    case forever
  }

  private let state: Mutex<(count: Int, at: Int, fault: Fault, hasStruck: Bool)>

  /// - Parameter at: number of the call that fails, from 1; 0 = none.
  init(at: Int, _ fault: Fault) { state = Mutex((0, at, fault, false)) }

  var calls: Int { state.withLock { $0.count } }
  var hasStruck: Bool { state.withLock { $0.hasStruck } }

  /// From now on all is well.
  func heal() { state.withLock { $0.at = 0 } }
  /// The next call fails.
  func strike(_ fault: Fault) { state.withLock { $0 = ($0.count, $0.count + 1, fault, false) } }

  private func pass() throws(SystemFailure) -> Bool {
    let fault: Fault? = state.withLock { state in
      state.count += 1
      if state.at == 0 { return nil }
      guard state.count == state.at || state.fault == .forever && state.count > state.at else { return nil }
      state.hasStruck = true
      return state.fault
    }
    switch fault {
    case nil: return false
    case .short: return true
    case .noSpace: throw SystemFailure(code: ENOSPC)
    case .io, .forever: throw SystemFailure(code: EIO)
    }
  }

  var system: SystemCalls {
    let linux = SystemCalls.linux
    var system = linux
    system.makeDirectory = { (path) throws(SystemFailure) in
      _ = try self.pass()
      try linux.makeDirectory(path)
    }
    system.list = { (path) throws(SystemFailure) in
      _ = try self.pass()
      return try linux.list(path)
    }
    system.open = { (path, access) throws(SystemFailure) in
      _ = try self.pass()
      return try linux.open(path, access)
    }
    system.size = { (file) throws(SystemFailure) in
      _ = try self.pass()
      return try linux.size(file)
    }
    system.preallocate = { (file, bytes) throws(SystemFailure) in
      _ = try self.pass()
      try linux.preallocate(file, bytes)
    }
    system.map = { (file, bytes) throws(SystemFailure) in
      _ = try self.pass()
      return try linux.map(file, bytes)
    }
    system.syncPages = { (memory, bytes) throws(SystemFailure) in
      _ = try self.pass()
      try linux.syncPages(memory, bytes)
    }
    system.syncFile = { (file) throws(SystemFailure) in
      _ = try self.pass()
      try linux.syncFile(file)
    }
    system.rename = { (from, to) throws(SystemFailure) in
      _ = try self.pass()
      try linux.rename(from, to)
    }
    system.remove = { (path) throws(SystemFailure) in
      _ = try self.pass()
      try linux.remove(path)
    }
    system.truncate = { (file, bytes) throws(SystemFailure) in
      _ = try self.pass()
      try linux.truncate(file, bytes)
    }
    system.read = { (file, buffer, offset) throws(SystemFailure) in
      let isShort = try self.pass()
      return try linux.read(file, isShort ? UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(1)) : buffer, offset)
    }
    system.write = { (file, bytes, offset) throws(SystemFailure) in
      let isShort = try self.pass()
      return try linux.write(file, isShort ? UnsafeRawBufferPointer(rebasing: bytes.prefix(1)) : bytes, offset)
    }
    return system
  }
}
