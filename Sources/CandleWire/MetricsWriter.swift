/// Writes the text format of Prometheus (exposition format 0.0.4).
public struct MetricsWriter {
  public enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  private let out = ByteWriter(capacity: 16_384)

  public init() {}

  public var bytes: [UInt8] { out.array }

  /// The head of a metric; its samples follow.
  /// - Parameter name: without the prefix `candled_`.
  public func metric(_ name: String, _ kind: Kind, _ help: String) {
    out.write("# HELP candled_\(name) \(help)\n# TYPE candled_\(name) \(kind.rawValue)\n")
  }

  public func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Int64) {
    head(name, labels)
    out.write(value)
    out.write("\n")
  }

  public func sample(_ name: String, _ labels: [(String, String)] = [], _ value: Double) {
    head(name, labels)
    out.write(value)
    out.write("\n")
  }

  /// A metric with one sample.
  public func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int64) {
    metric(name, kind, help)
    sample(name, [], value)
  }

  public func histogram(_ name: String, _ labels: [(String, String)] = [], _ histogram: Histogram) {
    var cumulative: Int64 = 0
    for (bound, count) in zip(histogram.bounds, histogram.counts) {
      cumulative += count
      sample(name + "_bucket", labels + [("le", "\(bound)")], cumulative)
    }
    sample(name + "_bucket", labels + [("le", "+Inf")], histogram.count)
    sample(name + "_sum", labels, histogram.sum)
    sample(name + "_count", labels, histogram.count)
  }

  private func head(_ name: String, _ labels: [(String, String)]) {
    out.write("candled_")
    out.write(name)
    if !labels.isEmpty {
      out.write("{")
      for (index, (key, value)) in labels.enumerated() {
        if index > 0 { out.write(",") }
        out.write(key)
        out.write("=")
        // The escapes of JSON strings are those of label values, for the characters that occur here.
        out.writeJSON(string: value)
      }
      out.write("}")
    }
    out.write(" ")
  }
}

/// Counts observations by upper bounds.
public struct Histogram: Sendable, Equatable {
  public let bounds: [Double]
  public private(set) var counts: [Int64]
  public private(set) var sum: Double = 0
  public private(set) var count: Int64 = 0

  /// - Parameter bounds: rising; what is above the last is only in the total.
  public init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count)
  }

  public mutating func observe(_ value: Double) {
    sum += value
    count += 1
    for index in bounds.indices where value <= bounds[index] {
      counts[index] += 1
      return
    }
  }

  /// Bytes, from none and 1 KiB by fours to 16 MiB.
  public static let bytes: [Double] = [
    0, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  ]

  /// Seconds, from 1 ms to a minute.
  public static let seconds: [Double] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
  ]
}
