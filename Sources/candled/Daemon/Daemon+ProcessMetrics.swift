import CandleWire

extension Daemon {
  /// The names are those of Prometheus's own client libraries behind the daemon's prefix.
  func writeProcessMetrics(to out: MetricsWriter) {
    let usage = ProcessUsage()
    if let bytes = usage.residentBytes {
      out.single("process_resident_memory_bytes", .gauge, "Memory of the process.", bytes)
    }
    out.metric("process_cpu_seconds_total", .counter, "Processor time of the process, user and system.")
    out.sample("process_cpu_seconds_total", [], usage.cpuSeconds)
    if let descriptors = usage.openDescriptors {
      out.single("process_open_fds", .gauge, "Open descriptors.", descriptors)
    }
    out.single("process_max_fds", .gauge, "Most descriptors that may be open.", usage.maximumDescriptors)
    out.metric("process_start_time_seconds", .gauge, "Unix time at which the process started.")
    out.sample("process_start_time_seconds", [], Double(started.wall) / 1_000)
    if let room = DiskRoom(of: store.path) {
      out.single(
        "store_available_bytes", .gauge, "Room that is left on the file system of the database.", room.available)
    }
  }
}
