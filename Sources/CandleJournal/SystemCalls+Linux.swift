import Glibc

extension SystemCalls {
  /// The calls of the operating system.
  public static let linux = SystemCalls(
    makeDirectory: { (path) throws(SystemFailure) in
      if mkdir(path, 0o755) != 0, errno != EEXIST { throw .last }
    },
    list: { (path) throws(SystemFailure) in
      guard let directory = opendir(path) else { throw .last }
      defer { closedir(directory) }
      var names: [String] = []
      while true {
        errno = 0
        guard let entry = readdir(directory) else { break }
        names.append(
          withUnsafePointer(to: &entry.pointee.d_name) {
            String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
          })
      }
      if errno != 0 { throw .last }
      return names
    },
    open: { (path, access) throws(SystemFailure) in
      let flags =
        switch access {
        case .read: O_RDONLY
        case .readWrite: O_RDWR
        case .create: O_RDWR | O_CREAT | O_EXCL
        }
      return Int32(try retrying { Int(Glibc.open(path, flags | O_CLOEXEC, 0o644)) })
    },
    close: { _ = Glibc.close($0) },
    size: { (descriptor) throws(SystemFailure) in
      var status = stat()
      if fstat(descriptor, &status) != 0 { throw .last }
      return Int(status.st_size)
    },
    preallocate: { (descriptor, bytes) throws(SystemFailure) in
      // An attempt that must fail would take all the room there is first, and others write to the disk too: a quarter
      // more has to be left for them.
      var room = statvfs()
      if fstatvfs(descriptor, &room) == 0, Int(room.f_bavail) * Int(room.f_frsize) < bytes + bytes / 4 {
        throw SystemFailure(code: ENOSPC)
      }
      while true {
        let code = posix_fallocate(descriptor, 0, bytes)
        if code == 0 { return }
        if code != EINTR { throw SystemFailure(code: code) }
      }
    },
    map: { (descriptor, bytes) throws(SystemFailure) in
      guard let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), memory != MAP_FAILED
      else { throw .last }
      return memory
    },
    unmap: { munmap($0, $1) },
    syncPages: { (memory, bytes) throws(SystemFailure) in _ = try retrying { Int(msync(memory, bytes, MS_SYNC)) } },
    syncFile: { (descriptor) throws(SystemFailure) in _ = try retrying { Int(fdatasync(descriptor)) } },
    rename: { (from, to) throws(SystemFailure) in if Glibc.rename(from, to) != 0 { throw .last } },
    remove: { (path) throws(SystemFailure) in if unlink(path) != 0 { throw .last } },
    truncate: { (descriptor, bytes) throws(SystemFailure) in
      _ = try retrying { Int(ftruncate(descriptor, bytes)) }
    },
    read: { (descriptor, buffer, offset) throws(SystemFailure) in
      try retrying { pread(descriptor, buffer.baseAddress, buffer.count, offset) }
    },
    write: { (descriptor, bytes, offset) throws(SystemFailure) in
      try retrying { pwrite(descriptor, bytes.baseAddress, bytes.count, offset) }
    },
    wallTime: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    })

  /// Repeats a call that a signal interrupted.
  private static func retrying(_ call: () -> Int) throws(SystemFailure) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      if errno != EINTR { throw .last }
    }
  }
}

extension SystemFailure {
  /// errno of the calling thread.
  static var last: SystemFailure { SystemFailure(code: errno) }
}
