import Testing

@testable import CandleConfiguration

@Suite struct ManualTests {
  private let program = Manual.program(version: "1.2", date: "2024-01-31")
  private let configuration = Manual.configuration(version: "1.2", date: "2024-01-31")

  @Test func thePageOfTheProgramHasEveryCommandOptionAndExitCode() {
    for command in Command.all {
      #expect(program.contains(".SS \"\(Roff.escaped(command.usage))\"\n"), "\(command.name)")
      for option in command.options {
        #expect(program.contains("\\fB\\-\\-\(Roff.escaped(option.name))\\fR"), "\(command.name) --\(option.name)")
        #expect(program.contains(Roff.escaped(option.meaning)), "\(command.name) --\(option.name)")
      }
    }
    for code in ExitCode.allCases { #expect(program.contains("\\fB\(code.rawValue)\\fR\n"), "\(code)") }
  }

  @Test func thePageOfTheConfigurationHasEveryKeyWithItsDefault() {
    let lines = configuration.split(separator: "\n")
    for key in Configuration.keys {
      let line = lines.first { $0.hasPrefix("\\fB\(Roff.escaped(key.path))\\fR ") }
      #expect(line != nil, "\(key.path)")
      if let text = key.defaultText { #expect(line?.contains("default " + Roff.escaped(text)) == true, "\(key.path)") }
      if key.isRequired { #expect(line?.contains("required") == true, "\(key.path)") }
    }
  }

  @Test func theExampleOfThePageIsAConfiguration() throws {
    let start = try #require(configuration.firstRange(of: ".EX\n")?.upperBound)
    let end = try #require(configuration.firstRange(of: ".EE\n")?.lowerBound)
    let example = String(configuration[start..<end]).replacing("\\-", with: "-").replacing("\\(dq", with: "\"")
    let read = try Configuration.parse(text: example, file: "example").get()
    #expect(read.feeds.map(\.name) == ["local"])
  }
}
