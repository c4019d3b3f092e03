import CandleConfiguration

enum CheckCommand {
  static func run(_ invocation: Invocation) -> ExitCode {
    let path = Configuration.find(explicit: invocation.text("config"))
    switch load(path) {
    case .failure(let problems):
      for problem in problems.list { print(problem) }
      return .configuration
    case .success:
      print(path.map { "\($0): ok" } ?? "no configuration file; the defaults are ok")
      return .ok
    }
  }

  /// Reads the configuration and refuses what this version does not do: a key must never be passed over in silence.
  static func load(_ path: String?) -> Result<Configuration, ConfigurationProblems> {
    Configuration.load(path: path).flatMap { configuration in
      let missing = configuration.unsupported(file: path ?? "")
      return missing.isEmpty ? .success(configuration) : .failure(ConfigurationProblems(list: missing))
    }
  }
}

extension Configuration {
  /// Keys that are valid, and that this version of the program cannot follow.
  func unsupported(file: String) -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    func refuse(_ path: String, _ isSet: Bool) {
      guard isSet else { return }
      problems.append(
        ConfigurationProblem(
          file: file, line: 0, column: 0, path: path, value: nil, reason: "is not supported by candled \(Version.text)",
          expected: nil))
    }
    for (index, feed) in feeds.enumerated() {
      refuse("feeds[\(index)].history", feed.history != nil)
    }
    return problems
  }
}
