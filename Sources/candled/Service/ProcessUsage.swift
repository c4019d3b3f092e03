import Glibc

/// What this process takes of the machine, as the kernel tells.
struct ProcessUsage {
  /// Bytes in memory (proc(5), `/proc/self/statm`, second field); nil where proc is not mounted.
  let residentBytes: Int64?
  /// User and system time of all threads, in seconds.
  let cpuSeconds: Double
  /// nil where proc is not mounted.
  let openDescriptors: Int64?
  /// The limit that counts.
  let maximumDescriptors: Int64

  init() {
    residentBytes = Self.pages.map { $0 * Int64(sysconf(Int32(_SC_PAGESIZE))) }
    var usage = rusage()
    getrusage(__rusage_who_t(0), &usage)  // RUSAGE_SELF
    cpuSeconds = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
    openDescriptors = Self.descriptors
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE
    maximumDescriptors = Int64(clamping: limit.rlim_cur)
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  private static var pages: Int64? {
    guard let file = fopen("/proc/self/statm", "re") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, Int32(line.count), file) != nil else { return nil }
    let fields = line.prefix { $0 != 0 }.split(separator: 32)
    return fields.count > 1 ? Int64(String(decoding: fields[1].map { UInt8(bitPattern: $0) }, as: UTF8.self)) : nil
  }

  /// Since Linux 6.2 the size of the folder is the number of its entries; before, they are counted.
  private static var descriptors: Int64? {
    var status = stat()
    guard stat("/proc/self/fd", &status) == 0 else { return nil }
    if status.st_size > 0 { return Int64(status.st_size) }
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var entries: Int64 = 0
    while readdir(folder) != nil { entries += 1 }
    // ".", ".." and the descriptor of the folder itself.
    return max(0, entries - 3)
  }
}

/// Room of the file system that a file lies on.
struct DiskRoom {
  /// What a process without privileges may still take, in bytes.
  let available: Int64

  /// - Returns: nil if the kernel does not say.
  init?(of path: String) {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    available = Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }
}
