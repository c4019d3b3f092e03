import Glibc

extension Configuration {
  /// Where a file is looked for if none is named: the working folder, then the system's.
  public static let places = ["candled.yaml", "/etc/candled/candled.yaml"]

  /// The largest file that is read, in bytes.
  static let largestFile = 16 << 20

  /// Which file to load.
  /// - Parameters:
  ///   - explicit: what the user named (`--config`); taken whether it exists or not.
  ///   - places: where to look otherwise.
  /// - Returns: nil if there is no file, which is a valid configuration. A file that exists and cannot be read is
  ///   returned, so that loading it fails: running on defaults instead would surprise.
  public static func find(explicit: String?, places: [String] = Configuration.places) -> String? {
    if let explicit { return explicit }
    return places.first { path in access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR) }
  }

  /// Reads and checks a file; without one every key is at its default.
  /// - Returns: all problems of the file in its order, at least one, if there are any.
  public static func load(path: String?) -> Result<Configuration, ConfigurationProblems> {
    guard let path else { return .success(Configuration()) }
    let report = Report(file: path)
    guard let bytes = contents(of: path, report) else { return .failure(ConfigurationProblems(list: report.sorted)) }
    return bytes.withUnsafeBytes { read($0, report) }
  }

  /// Reads and checks a text, YAML or JSON.
  /// - Parameter file: its name in problems.
  /// - Returns: all problems of the text in its order, at least one, if there are any.
  public static func parse(text: String, file: String) -> Result<Configuration, ConfigurationProblems> {
    parse(bytes: Array(text.utf8), file: file)
  }

  /// As `parse(text:file:)`, for bytes that may be no UTF-8.
  public static func parse(bytes: [UInt8], file: String) -> Result<Configuration, ConfigurationProblems> {
    bytes.withUnsafeBytes { read($0, Report(file: file)) }
  }

  private static func read(_ bytes: UnsafeRawBufferPointer, _ report: Report) -> Result<
    Configuration, ConfigurationProblems
  > {
    guard bytes.count <= largestFile else {
      report.add(
        at: Position(line: 0, column: 0), "", "is too large", expected: "at most \(SizeText.write(largestFile))")
      return .failure(ConfigurationProblems(list: report.sorted))
    }
    var configuration = Configuration()
    if let root = YAMLParser.read(bytes, into: report), let value = section.read(root, "", report) {
      configuration = value
    }
    return report.problems.isEmpty ? .success(configuration) : .failure(ConfigurationProblems(list: report.sorted))
  }

  private static func contents(of path: String, _ report: Report) -> [UInt8]? {
    func fail(_ code: Int32) -> [UInt8]? {
      let reason = "cannot be read: " + String(cString: strerror(code))
      report.add(at: Position(line: 0, column: 0), "", reason, expected: "a readable file")
      return nil
    }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return fail(errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    let chunk = 64 << 10
    // One byte more than allowed is enough to see that it is too large, also where the file never ends.
    while bytes.count <= largestFile {
      let start = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: chunk))
      let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress! + start, chunk) }
      let code = errno
      bytes.removeLast(chunk - max(0, count))
      if count == 0 { return bytes }
      if count < 0, code != EINTR { return fail(code) }
    }
    return bytes
  }
}
