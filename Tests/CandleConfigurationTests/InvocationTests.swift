import CandleCore
import Testing

@testable import CandleConfiguration

@Suite struct InvocationTests {
  private func parse(_ line: String) -> Result<Invocation, UsageError> {
    Invocation.parse(line.split(separator: " ").map(String.init))
  }

  private func message(_ line: String) -> String {
    guard case .failure(let error) = parse(line) else { return "accepted" }
    return error.message
  }

  @Test func withoutACommandItIsRun() throws {
    #expect(try parse("").get().command.name == "run")
    let run = try parse("--config=a.yaml --log-level debug").get()
    #expect(run.command.name == "run" && run.text("config") == "a.yaml" && run.text("log-level") == "debug")
    #expect(run.text("log-format") == "text" && !run.has("log-format"), "a default")
  }

  @Test func replayTakesEverythingItKnows() throws {
    let line = """
      replay --db c.db a.csv --symbol BTC/USD --timeframes M5,S1 --empty none --correction-window 2m --flat-limit 0 \
      --indicators --replace --strict --timestamp us - -- --odd.csv
      """
    let replay = try parse(line).get()
    #expect(replay.arguments("FILE") == ["a.csv", "-", "--odd.csv"])
    #expect(replay.text("symbol") == "BTC/USD" && replay.timeframes("timeframes") == [.S1, .M5])
    #expect(replay.duration("correction-window") == 120_000 && replay.integer("flat-limit") == 0)
    #expect(replay.has("indicators") && replay.has("replace") && replay.has("strict"))
    let plain = try parse("replay --db=c.db -").get()
    #expect(plain.timeframes("timeframes") == [.M1, .M5, .M15] && plain.duration("correction-window") == 60_000)
    #expect(plain.integer("flat-limit") == 1_440 && plain.text("empty") == "flat" && !plain.has("strict"))
    #expect(plain.text("symbol") == nil)
  }

  @Test func theOthersTakeTheirs() throws {
    #expect(try parse("check --config x --log-format json").get().text("log-format") == "json")
    let demo = try parse("demo --speed 0.5 --once --listen [::1]:0 --duration 10s").get()
    #expect(demo.number("speed") == 0.5 && demo.has("once") && demo.listen("listen")?.host == "::1")
    let tail = try parse("tail ws://h:1/v1/stream candle.M1.X closed.*.* --snapshot 5 --json").get()
    #expect(
      tail.arguments("URL") == ["ws://h:1/v1/stream"] && tail.arguments("TOPIC") == ["candle.M1.X", "closed.*.*"])
    let topics = try parse("tail candle.M1.X").get()
    #expect(topics.arguments("URL") == [] && topics.arguments("TOPIC") == ["candle.M1.X"])
    let export = try parse("export --db d --symbol X --timeframe H1 --from 2024-01-31 --to 1706702400001 --format json")
      .get()
    #expect(export.time("from") == 1_706_659_200_000 && export.time("to") == 1_706_702_400_001)
    #expect(try parse("verify --db d").get().text("db") == "d")
    #expect(try parse("version").get().command.name == "version")
    #expect(try parse("--version").get().command.name == "version")
  }

  @Test(arguments: [
    ("rnu", "unknown command \"rnu\"; did you mean run?"),
    (
      "fly",
      "unknown command \"fly\"; expected run, check, demo, replay, import, export, backfill, verify, tail or version"
    ),
    ("demo --spede 5", "unknown option --spede; did you mean --speed?"),
    ("demo --xyz=secret", "unknown option --xyz"),
    ("demo -x", "unknown option -x"),
    ("demo -speed 5", "unknown option -speed; did you mean --speed?"),
    ("demo --speed", "--speed needs a value; expected a number above 0"),
    ("demo --speed --once", "--speed needs a value; expected a number above 0"),
    ("demo --speed 0", "--speed cannot be \"0\"; expected a number above 0"),
    ("demo --speed 5 --speed=6", "--speed is doubled"),
    ("demo --once=1", "--once takes no value"),
    ("demo now", "unexpected argument \"now\""),
    ("replay a.csv", "--db is missing; expected the path of a file"),
    ("replay --db d", "FILE is missing; expected the path of a file"),
    ("replay --db d --empty flta -", "--empty cannot be \"flta\"; expected flat or none; did you mean flat?"),
    (
      "replay --db d --timeframes M1,M1 -",
      "--timeframes cannot be \"M1,M1\"; expected timeframes separated by commas, each once, like M1,M5,M15"
    ),
    ("replay --db d --flat-limit -1 -", "--flat-limit cannot be \"-1\"; expected an integer from 0 to 1000000000"),
    ("replay --db= -", "--db cannot be \"\"; expected the path of a file"),
    ("verify --db d b", "unexpected argument \"b\""),
    (
      "export --db d --symbol X --timeframe M1 --from 2024-02-30",
      "--from cannot be \"2024-02-30\"; expected Unix milliseconds, or a date like 2024-01-31 or 2024-01-31T12:00Z"
    ),
  ])
  func wrongLinesSayWhy(line: String, expected: String) { #expect(message(line) == expected) }

  @Test func errorsSayWhereHelpIs() {
    guard case .failure(let error) = parse("demo -x") else { return }
    #expect(error.description == "candled demo: unknown option -x\nTry 'candled demo --help'.")
    #expect(UsageError("no").description == "candled: no\nTry 'candled --help'.")
  }

  @Test(arguments: ["--help", "-h", "help"]) func helpListsTheCommands(line: String) throws {
    let help = try #require(try parse(line).get().help)
    for command in Command.all { #expect(help.contains("  \(command.name) ") && help.contains(command.summary)) }
    for code in ExitCode.allCases { #expect(help.contains("\(code.rawValue) \(code.meaning)")) }
  }

  @Test(arguments: Command.all.map(\.name)) func eachCommandHasHelp(name: String) throws {
    for line in ["\(name) --help", "help \(name)", "--help \(name)", "\(name) -h"] {
      let help = try #require(try parse(line).get().help)
      for option in Command.all.first(where: { $0.name == name })!.options {
        #expect(help.contains("--\(option.name)") && help.contains(option.meaning))
      }
    }
    for line in try parse("\(name) --help").get().help!.split(separator: "\n") { #expect(line.count <= 140, "\(line)") }
  }

  @Test func aCommandThatIsNotInTheTableDoesNotExist() {
    let commands = Command.all.filter { $0.name != "demo" }
    guard case .failure(let error) = Invocation.parse(["demo"], commands: commands) else {
      Issue.record("accepted")
      return
    }
    #expect(!error.message.contains("or demo"))
    #expect(!Command.overview(commands).contains("demo"))
  }

  @Test func theTableIsSound() {
    for command in Command.all {
      #expect(Set(command.options.map(\.name)).count == command.options.count)
      for option in command.options {
        if let text = option.defaultText { #expect(option.kind.accepts(text), "\(command.name) --\(option.name)") }
      }
    }
    #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 64, 65, 69, 74, 78])
  }

  @Test(arguments: 0..<4) func noLineTraps(seed: UInt64) {
    var draw = Draw(state: seed)
    let words =
      Command.all.flatMap { [$0.name] + $0.options.map { "--\($0.name)" } } + [
        "-", "--", "", "=", "--=", "-=", "--help", "é", "5", "M1", "--db=x",
      ]
    for _ in 0..<500 {
      let line = (0..<Int.random(in: 0...6, using: &draw)).map { _ in words.randomElement(using: &draw)! }
      if case .failure(let error) = Invocation.parse(line) { #expect(!error.message.isEmpty) }
    }
  }
}
