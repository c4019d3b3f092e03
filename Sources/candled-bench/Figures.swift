import CAllocationCounter
import Glibc

/// What a measurement yields, printed as one line of JSON.
struct Figures {
  private var fields: [String]

  init(_ benchmark: String) { fields = ["\"benchmark\":\"\(benchmark)\""] }

  mutating func add(_ name: String, _ value: Int) { fields.append("\"\(name)\":\(value)") }

  /// With three decimals.
  mutating func add(_ name: String, _ value: Double) {
    let thousandths = Int((value * 1_000).rounded())
    let digits = String(thousandths % 1_000)
    let decimals = String(repeating: "0", count: 3 - digits.count) + digits
    fields.append("\"\(name)\":\(thousandths / 1_000).\(decimals)")
  }

  /// CPU and wall time of work done `count` times, in nanoseconds each, and its allocations.
  mutating func add(_ unit: String, _ spent: Spent, count: Int) {
    let count = Double(count)
    add("cpu_ns_per_\(unit)", Double(spent.cpu) / count)
    add("wall_ns_per_\(unit)", Double(spent.wall) / count)
    add("allocations_per_\(unit)", Double(spent.allocations) / count)
  }

  func print() { Swift.print("{" + fields.joined(separator: ",") + "}") }
}

/// What a piece of work cost: nanoseconds of this process's CPU (all threads), of wall time, and allocations of this
/// thread.
struct Spent {
  var cpu: Int64 = 0
  var wall: Int64 = 0
  var allocations = 0

  static func on(_ work: () throws -> Void) rethrows -> Spent {
    let allocations = Int(candled_allocation_count())
    let wall = clock(CLOCK_MONOTONIC)
    let cpu = clock(CLOCK_PROCESS_CPUTIME_ID)
    try work()
    let spentCPU = clock(CLOCK_PROCESS_CPUTIME_ID) - cpu
    let spentWall = clock(CLOCK_MONOTONIC) - wall
    return Spent(cpu: spentCPU, wall: spentWall, allocations: Int(candled_allocation_count()) - allocations)
  }

  static func clock(_ id: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(id, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

/// Keeps a result alive, so that the work for it is not optimized away.
@inline(never) @_optimize(none) func consume<Value>(_ value: borrowing Value) {}
