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

  static func load(_ path: String?) -> Result<Configuration, ConfigurationProblems> {
    Configuration.load(path: path)
  }
}
