/// Builds what producers are answered.
public final class IngestEncoder {
  /// Error messages a frame, at most.
  public static let maximumErrors = 10

  private let out = ByteWriter(capacity: 512)

  public init() {}

  private func frame() -> Frame {
    defer { out.clear() }
    return Frame(text: out.bytes)
  }

  /// - Parameters:
  ///   - frame: number of the frame on its connection, from 1.
  ///   - accepted: ticks that count.
  public func acknowledgement(frame number: Int64, accepted: Int, refused: Int) -> Frame {
    out.write("{\"type\":\"ack\",\"frame\":")
    out.write(number)
    out.write(",\"ticks\":")
    out.write(accepted)
    out.write(",\"refused\":")
    out.write(refused)
    out.write("}")
    return frame()
  }

  /// - Parameters:
  ///   - line: within the frame, from 1.
  ///   - code: the reason, as in the metrics.
  public func refusal(frame number: Int64, line: Int, code: String, message: String) -> Frame {
    out.write("{\"type\":\"error\",\"code\":\"")
    out.write(code)
    out.write("\",\"frame\":")
    out.write(number)
    out.write(",\"line\":")
    out.write(line)
    out.write(",\"message\":")
    out.writeJSON(string: message)
    out.write("}")
    return frame()
  }
}
